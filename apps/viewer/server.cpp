#include "server.h"

#include <stiction/error.h>

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket.hpp>
#include <chrono>
#include <deque>
#include <mutex>
#include <optional>
#include <set>
#include <thread>

#include "guard.h"

namespace stiction::viewer {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;
using tcp = asio::ip::tcp;
using Bytes = std::shared_ptr<const std::string>;
using boost::system::error_code;

constexpr unsigned short kUsualPort = 4747;
constexpr size_t kLargestMessage = 4096;       // bytes from a client
constexpr size_t kLargestHeader = 8192;        // bytes
constexpr size_t kMostTexts = 1000;            // queued for one client before it is given up
constexpr int kSendBuffer = 1 << 18;           // bytes of the kernel: little to be late by
constexpr std::chrono::seconds kPatience{30};  // for a request, and for its answer

// The page is one file with its script and style inside; it may talk to its own server only.
constexpr char kPolicy[] =
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; font-src data:; "
    "img-src data: blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'";

class Client;

}  // namespace

struct Server::Impl {
  Impl(const ServerOptions& options, std::string page_in, Handlers handlers_in)
      : host(options.host), page(std::move(page_in)), handlers(std::move(handlers_in)) {
    listen(options.port);
    accept();
    thread = std::thread([this] { io.run(); });
  }

  void listen(unsigned short port);
  void accept();
  void deliver_frame();

  std::string host;
  std::string page;
  Handlers handlers;
  asio::io_context io{1};
  tcp::acceptor acceptor{io};
  unsigned short port = 0;
  std::set<std::shared_ptr<Client>> clients;  // server's thread only
  std::atomic<int> client_count{0};
  std::mutex frame_mutex;
  Bytes next_frame;  // a newer frame takes the place of one not yet delivered
  std::thread thread;
};

namespace {

// One WebSocket.
class Client : public std::enable_shared_from_this<Client> {
 public:
  Client(Server::Impl& server, tcp::socket socket) : server_(server), stream_(std::move(socket)) {}

  void start(const http::request<http::string_body>& request) {
    stream_.set_option(websocket::stream_base::timeout::suggested(beast::role_type::server));
    stream_.read_message_max(16 * kLargestMessage);  // up to here there is an answer
    stream_.async_accept(request, [self = shared_from_this()](error_code error) {
      if (error) return;
      self->server_.clients.insert(self);
      self->server_.client_count = static_cast<int>(self->server_.clients.size());
      for (std::string& text : self->server_.handlers.welcome()) {
        self->send({std::make_shared<const std::string>(std::move(text)), false});
      }
      self->read();
    });
  }

  struct Message {
    Bytes bytes;
    bool frame = false;
  };

  void send(Message message) {
    if (closing_) return;
    // queue_.front() is on its way; of the frames behind it only the newest is worth sending.
    if (message.frame && queue_.size() > 1) {
      const auto old = std::find_if(queue_.begin() + 1, queue_.end(),
                                    [](const Message& waiting) { return waiting.frame; });
      if (old != queue_.end()) queue_.erase(old);
    }
    if (queue_.size() > kMostTexts) return drop();
    queue_.push_back(std::move(message));
    if (queue_.size() == 1) write();
  }

  void close(websocket::close_code code, const std::string& reason) {
    if (closing_) return;
    closing_ = true;
    websocket::close_reason why(code);
    why.reason.assign(reason.data(), std::min<size_t>(reason.size(), 120));
    stream_.async_close(why, [self = shared_from_this()](error_code) { self->drop(); });
  }

 private:
  void drop() {
    closing_ = true;
    error_code ignored;
    beast::get_lowest_layer(stream_).socket().close(ignored);
    server_.clients.erase(shared_from_this());
    server_.client_count = static_cast<int>(server_.clients.size());
  }

  void read() {
    stream_.async_read(buffer_, [self = shared_from_this()](error_code error, size_t) {
      if (error) return self->drop();
      self->take();
    });
  }

  void take() {
    if (!stream_.got_text()) return close(websocket::close_code::unknown_data, "texts only");
    if (buffer_.size() > kLargestMessage) {
      return close(websocket::close_code::too_big, "message too large");
    }
    const std::string text = beast::buffers_to_string(buffer_.data());
    buffer_.consume(buffer_.size());
    try {
      server_.handlers.message(text);
    } catch (const InputError& error) {
      return close(websocket::close_code::policy_error, error.what());
    }
    read();
  }

  void write() {
    stream_.binary(queue_.front().frame);
    stream_.async_write(asio::buffer(*queue_.front().bytes),
                        [self = shared_from_this()](error_code error, size_t) {
                          if (error) return self->drop();
                          self->queue_.pop_front();
                          if (!self->queue_.empty() && !self->closing_) self->write();
                        });
  }

  Server::Impl& server_;
  websocket::stream<beast::tcp_stream> stream_;
  beast::flat_buffer buffer_;
  std::deque<Message> queue_;
  bool closing_ = false;
};

// One connection until it becomes a WebSocket: request, answer, request, ...
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(Server::Impl& server, tcp::socket socket)
      : server_(server), stream_(std::move(socket)) {}

  void read() {
    parser_.emplace();
    parser_->header_limit(kLargestHeader);
    parser_->body_limit(0);
    stream_.expires_after(kPatience);
    http::async_read(stream_, buffer_, *parser_,
                     [self = shared_from_this()](error_code error, size_t) {
                       if (!error) self->answer();
                     });
  }

 private:
  void answer() {
    const auto& request = parser_->get();
    const std::string host(request[http::field::host]);
    const std::string target(request.target().substr(0, request.target().find('?')));
    if (!host_is_ours(host, server_.host, server_.port)) {
      return refuse(http::status::forbidden, "this Host is not served here");
    }
    if (!origin_is_ours(std::string(request[http::field::origin]), host)) {
      return refuse(http::status::forbidden, "pages of another origin are not served here");
    }
    if (request.method() != http::verb::get) {
      return refuse(http::status::method_not_allowed, "GET only");
    }
    if (target == "/") return respond(http::status::ok, "text/html; charset=utf-8", server_.page);
    if (target == "/stream" && server_.handlers.message && websocket::is_upgrade(request)) {
      stream_.expires_never();
      stream_.socket().set_option(asio::socket_base::send_buffer_size(kSendBuffer));
      std::make_shared<Client>(server_, stream_.release_socket())->start(request);
      return;
    }
    if (target.rfind("/download/", 0) == 0) return download(target.substr(10));
    refuse(http::status::not_found, "there is nothing here");
  }

  void download(const std::string& name) {
    const auto reply = [self = shared_from_this()](std::string body) {
      asio::post(self->stream_.get_executor(), [self, body = std::move(body)] {
        if (body.empty()) return self->refuse(http::status::not_found, "there is none yet");
        self->respond(http::status::ok, "application/x-hdf5", body);
      });
    };
    stream_.expires_never();
    if (!server_.handlers.download || !server_.handlers.download(name, reply)) {
      refuse(http::status::not_found, "there is nothing here");
    }
  }

  void refuse(http::status status, const std::string& why) {
    respond(status, "text/plain", why + "\n");
  }

  void respond(http::status status, const char* type, const std::string& body) {
    response_ = {status, parser_->get().version()};
    response_.set(http::field::content_type, type);
    response_.set(http::field::cache_control, "no-store");
    response_.set("X-Content-Type-Options", "nosniff");
    response_.set("Content-Security-Policy", kPolicy);
    response_.set("Referrer-Policy", "no-referrer");
    response_.keep_alive(status == http::status::ok && parser_->get().keep_alive());
    response_.body() = body;
    response_.prepare_payload();
    stream_.expires_after(kPatience);
    http::async_write(stream_, response_, [self = shared_from_this()](error_code error, size_t) {
      if (error) return;
      if (self->response_.keep_alive()) return self->read();
      error_code ignored;
      self->stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
    });
  }

  Server::Impl& server_;
  beast::tcp_stream stream_;
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::string_body>> parser_;
  http::response<http::string_body> response_;
};

}  // namespace

void Server::Impl::listen(unsigned short asked) {
  error_code error;
  tcp::resolver resolver(io);
  const auto found = resolver.resolve(host, "0", error);
  if (error || found.empty()) throw InputError("--host '" + host + "': " + error.message());
  tcp::endpoint endpoint = *found.begin();
  acceptor.open(endpoint.protocol());
  acceptor.set_option(asio::socket_base::reuse_address(true));
  endpoint.port(asked == 0 ? kUsualPort : asked);
  acceptor.bind(endpoint, error);
  if (error && asked == 0) {
    endpoint.port(0);
    acceptor.bind(endpoint, error);
  }
  if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
  if (error) {
    throw InputError("cannot listen on " + host + " port " + std::to_string(asked) + ": " +
                     error.message());
  }
  port = acceptor.local_endpoint().port();
}

void Server::Impl::accept() {
  acceptor.async_accept([this](error_code error, tcp::socket socket) {
    if (error == asio::error::operation_aborted) return;
    if (!error) {
      socket.set_option(tcp::no_delay(true), error);
      std::make_shared<Connection>(*this, std::move(socket))->read();
    }
    accept();
  });
}

void Server::Impl::deliver_frame() {
  Bytes frame;
  {
    const std::lock_guard lock(frame_mutex);
    frame.swap(next_frame);
  }
  // A client that fails leaves the set while it is walked.
  const auto everyone = clients;
  for (const auto& client : everyone) client->send({frame, true});
}

Server::Server(const ServerOptions& options, std::string page, Handlers handlers)
    : impl_(std::make_unique<Impl>(options, std::move(page), std::move(handlers))) {}

Server::~Server() {
  asio::post(impl_->io, [impl = impl_.get()] {
    error_code ignored;
    impl->acceptor.close(ignored);
    const auto everyone = impl->clients;
    for (const auto& client : everyone) {
      client->close(websocket::close_code::going_away, "the program has ended");
    }
  });
  // Time for the goodbyes to leave; a tab that does not answer is not waited for.
  for (int k = 0; k < 20 && impl_->client_count > 0; ++k) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  impl_->io.stop();
  impl_->thread.join();
  impl_->clients.clear();
}

std::string Server::url() const {
  const bool v6 = impl_->host.find(':') != std::string::npos;
  const std::string name = impl_->host == "127.0.0.1" ? "localhost" : impl_->host;
  return "http://" + (v6 ? "[" + name + "]" : name) + ":" + std::to_string(impl_->port) + "/";
}

int Server::clients() const { return impl_->client_count; }

void Server::send_text(std::string text) {
  auto bytes = std::make_shared<const std::string>(std::move(text));
  asio::post(impl_->io, [impl = impl_.get(), bytes] {
    const auto everyone = impl->clients;
    for (const auto& client : everyone) client->send({bytes, false});
  });
}

void Server::send_frame(std::string bytes) {
  auto frame = std::make_shared<const std::string>(std::move(bytes));
  bool waiting = false;
  {
    const std::lock_guard lock(impl_->frame_mutex);
    waiting = impl_->next_frame != nullptr;
    impl_->next_frame = std::move(frame);
  }
  if (!waiting) asio::post(impl_->io, [impl = impl_.get()] { impl->deliver_frame(); });
}

}  // namespace stiction::viewer

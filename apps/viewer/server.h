// HTTP and WebSocket on one port, on one thread of its own. It serves one page, the downloads that
// its owner makes, and a stream: texts reach every client; of frames a slow client gets the latest
// and loses the older ones, so it never holds up whoever sends.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace stiction::viewer {

/// Hands a file to whoever asked for it; empty: there is none. Any thread, once.
using Reply = std::function<void(std::string body)>;

/// Called on the server's thread; they had better be quick.
struct Handlers {
  /// What a new client is told first.
  std::function<std::vector<std::string>()> welcome;
  /// A text from a client; InputError closes the connection with its message.
  std::function<void(const std::string& text)> message;
  /// GET /download/NAME; false if there is no such name.
  std::function<bool(const std::string& name, Reply reply)> download;
};

struct ServerOptions {
  std::string host = "127.0.0.1";
  unsigned short port = 0;  ///< 0: the usual one, or any free one
};

class Server {
 public:
  /// Listens at once. Throws InputError if the address cannot be had. Handlers may be empty: then
  /// there is only the page.
  Server(const ServerOptions& options, std::string page, Handlers handlers);
  /// Closes every connection and joins the thread.
  ~Server();

  std::string url() const;
  int clients() const;

  /// To every client. Any thread.
  void send_text(std::string text);
  void send_frame(std::string bytes);

  struct Impl;

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace stiction::viewer

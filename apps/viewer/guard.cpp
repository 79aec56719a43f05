#include "guard.h"

#include <arpa/inet.h>

namespace stiction::viewer {
namespace {

bool is_address(const std::string& text) {
  unsigned char buffer[16];
  return inet_pton(AF_INET, text.c_str(), buffer) == 1 ||
         inet_pton(AF_INET6, text.c_str(), buffer) == 1;
}

}  // namespace

bool host_is_ours(const std::string& host, const std::string& listening_on, unsigned short port) {
  // "name", "name:port", "[v6]" or "[v6]:port"
  const bool bracket = !host.empty() && host.front() == '[';
  const size_t end = bracket ? host.find(']') : host.find(':');
  if (bracket && end == std::string::npos) return false;
  const std::string name = bracket ? host.substr(1, end - 1) : host.substr(0, end);
  const std::string rest =
      end == std::string::npos ? "" : host.substr(bracket ? end + 1 : end);  // ":port"
  if (!rest.empty() && rest != ":" + std::to_string(port)) return false;
  return name == "localhost" || name == listening_on || is_address(name);
}

bool origin_is_ours(const std::string& origin, const std::string& host) {
  return origin.empty() || origin == "http://" + host;
}

}  // namespace stiction::viewer

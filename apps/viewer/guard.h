// Who may talk to the server. A page of another site can make a browser connect to loopback, either
// directly (its Origin tells) or through a name of its own that it lets resolve to 127.0.0.1 (the
// Host tells): both are refused.
#pragma once

#include <string>

namespace stiction::viewer {

/// True if `host` (the Host header) names this server: localhost, an address in numbers, which no
/// one can rebind, or the name that the server was told to listen on; with the right port, or none.
bool host_is_ours(const std::string& host, const std::string& listening_on, unsigned short port);

/// True if `origin` (the Origin header; empty: not a browser) is the page that this host served.
bool origin_is_ours(const std::string& origin, const std::string& host);

}  // namespace stiction::viewer

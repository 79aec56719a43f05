#include <stiction/files.h>

#include <cstdint>

namespace stiction {

std::string base64(const void* data, std::size_t size) {
  constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const auto* bytes = static_cast<const unsigned char*>(data);
  std::string text;
  text.reserve((size + 2) / 3 * 4);
  for (size_t k = 0; k < size; k += 3) {
    const size_t left = size - k;
    const std::uint32_t group = static_cast<std::uint32_t>(bytes[k]) << 16 |
                                (left > 1 ? static_cast<std::uint32_t>(bytes[k + 1]) << 8 : 0) |
                                (left > 2 ? static_cast<std::uint32_t>(bytes[k + 2]) : 0);
    text += kDigits[group >> 18];
    text += kDigits[group >> 12 & 63];
    text += left > 1 ? kDigits[group >> 6 & 63] : '=';
    text += left > 2 ? kDigits[group & 63] : '=';
  }
  return text;
}

}  // namespace stiction

#include "io/xml.h"

#include <gtest/gtest.h>

#include "message_of.h"

namespace stiction {
namespace {

TEST(Xml, ReadsAttributesAndLines) {
  const XmlDocument document(
      "a.xml", "<!-- c -- c -->\n<a x='1'>\n\n  <b name='n' v=' 1 -.5\n2e-3 +4'/>\n</a>");
  EXPECT_EQ(document.root().tag(), "a");
  EXPECT_EQ(document.root().line(), 2);
  const XmlElement b = document.root().children().at(0);
  EXPECT_EQ(b.line(), 4);
  EXPECT_EQ(b.label(), "b 'n'");
  EXPECT_EQ(*b.numbers("v", 4, 4), (std::vector<double>{1, -0.5, 2e-3, 4}));
  EXPECT_FALSE(b.number("w").has_value());
  EXPECT_EQ(document.root().integer("x"), 1);
}

TEST(Xml, SaysWhereAndWhat) {
  const XmlDocument document("a.xml",
                             "<a>\n<b name='n' v='1 2 3' w='nan' u='1e999' t='x' i='1.5'/></a>");
  const XmlElement b = document.root().children().at(0);
  EXPECT_EQ(message_of([&] { b.numbers("v", 2, 2); }),
            "a.xml:2: b 'n': v is '1 2 3', expected 2 numbers, not 3");
  EXPECT_EQ(message_of([&] { b.number("w"); }), "a.xml:2: b 'n': w: 'nan' is not a finite number");
  EXPECT_EQ(message_of([&] { b.number("u"); }),
            "a.xml:2: b 'n': u: '1e999' is not a finite number");
  EXPECT_EQ(message_of([&] { b.number("t"); }), "a.xml:2: b 'n': t: 'x' is not a number");
  EXPECT_EQ(message_of([&] { b.required_number("k"); }), "a.xml:2: b 'n': attribute k is missing");
  EXPECT_NE(message_of([&] { b.integer("i"); }), "");
}

TEST(Xml, RefusesMalformedDocuments) {
  for (const char* text : {"", "<a", "<a><b></a>", "<a x='1' x='2'/>", "no xml", "<a x=1/>"}) {
    EXPECT_NE(message_of([&] { XmlDocument("a.xml", text); }), "") << text;
  }
  const std::pair<const char*, const char*> beside[] = {
      {"<a/>\n\r\n more \r\nand more",
       "a.xml:3: text 'more' outside the root element, expected none"},
      {"\nmore <a/>", "a.xml:2: text 'more' outside the root element, expected none"},
      {"<a/>\n<!-- c --> <![CDATA[x]]>",
       "a.xml:2: text 'x' outside the root element, expected none"},
      {"<!-- c -->", "a.xml:1: malformed XML: No document element found"},
  };
  for (const auto& [text, message] : beside) {
    EXPECT_EQ(message_of([&] { XmlDocument("a.xml", text); }), message);
  }
  EXPECT_EQ(message_of([] {
              XmlDocument("a.xml",
                          "\xEF\xBB\xBF<?xml version='1.0'?><!DOCTYPE a>\n<a/>\n<!-- c -->\n");
            }),
            "");
  std::string deep;
  for (int i = 0; i < 100000; ++i) deep += "<a>";
  for (int i = 0; i < 100000; ++i) deep += "</a>";
  EXPECT_NE(message_of([&] { XmlDocument("a.xml", deep); }).find("nested"), std::string::npos);
  EXPECT_NE(message_of([&] { XmlDocument("/nonexistent.xml"); }).find("no such file"),
            std::string::npos);
  EXPECT_NE(message_of([&] { XmlDocument("/"); }).find("not a file"), std::string::npos);
}

}  // namespace
}  // namespace stiction

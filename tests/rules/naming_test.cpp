// Names of JSON members and of form fields are declared only in field tables, so each is found in one place.
#include <string>

#include <gtest/gtest.h>

#include "tests/rules/source_tree.hpp"

namespace consentry::rules {
namespace {

bool may_declare_fields(const std::string& path) {
    if (path.starts_with("src/http/")) return is_unit_test(path);
    if (path.starts_with("src/pages/")) return path.ends_with("_forms.hpp");
    return path.starts_with("src/features/") && (file_name(path) == "dto.hpp" || path.ends_with("_dto.hpp"));
}

TEST(Naming, WireNamesStandInDtosOnly) {
    std::size_t sources = 0;
    for (const std::string& path : files_below("src")) {
        if (!is_source(path)) continue;
        ++sources;
        if (may_declare_fields(path)) continue;
        for (const std::string& name : quoted_after(R"(field(")", read_file(path)))
            ADD_FAILURE() << path << " declares the field " << name
                          << "; field tables belong in a feature's dto.hpp, or in the forms of pages";
    }
    EXPECT_GT(sources, 0u) << "nothing was read: is the working directory the project root?";
}

TEST(Naming, FieldsAreFoundInCodeAndNotInComments) {
    EXPECT_EQ(quoted_after(R"(field(")", R"(return std::tuple{field("perPage", &Query::per_page)};)").size(), 1u);
    EXPECT_TRUE(quoted_after(R"(field(")", R"(    // field("perPage", &Query::per_page))").empty());
    EXPECT_TRUE(quoted_after(R"(field(")", R"(header_field("accept"))").empty());
    EXPECT_EQ(quoted_after(R"(field(")", R"(link("https://example.org"), field("url"))").size(), 1u);
    EXPECT_TRUE(may_declare_fields("src/features/login/dto.hpp"));
    EXPECT_TRUE(may_declare_fields("src/http/schema/parse_test.cpp"));
    EXPECT_TRUE(may_declare_fields("src/pages/login_forms.hpp"));
    EXPECT_FALSE(may_declare_fields("src/pages/login_pages.cpp"));
    EXPECT_FALSE(may_declare_fields("src/features/login/endpoints.cpp"));
    EXPECT_FALSE(may_declare_fields("src/http/openapi.cpp"));
}

}  // namespace
}  // namespace consentry::rules

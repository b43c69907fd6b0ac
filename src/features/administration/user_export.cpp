#include "features/administration/user_export.hpp"

#include "features/administration/formulas.hpp"

namespace consentry {
namespace {

constexpr std::string_view header = "email;name;username;role;status;isVerified;language;createdAt\r\n";
constexpr std::int64_t page_rows = 500;

void append_row(std::string& out, const ListedUser& listed) {
    const UserSummary& user = listed.user;
    out.append(csv_field(user.email)).push_back(';');
    out.append(csv_field(user.name.value_or(""))).push_back(';');
    out.append(csv_field(user.username)).push_back(';');
    out.append(csv_field(listed.role_name)).push_back(';');
    out.append(name_of(user.status)).push_back(';');
    out.append(user.is_verified ? "true" : "false").push_back(';');
    out.append(name_of(user.language)).push_back(';');
    out.append(to_iso8601(user.created_at)).append("\r\n");
}

class UserPages {
public:
    UserPages(Administration& administration, ListQuery query)
        : administration_(administration), query_(std::move(query)) {
        query_.by_cursor = true;
        query_.order = {{.expression = "u.created_at"}};
        query_.id_expression = "u.id";
        query_.limit = page_rows;
    }

    awaitable<std::optional<std::string>> next() {
        if (ended_) co_return std::nullopt;
        std::string out(begun_ ? std::string_view{} : header);
        const auto page = co_await administration_.users(query_);
        for (const ListedUser& user : page.items) append_row(out, user);
        begun_ = true;
        ended_ = !page.has_more;
        query_.after = page.end;
        co_return out;
    }

private:
    Administration& administration_;
    ListQuery query_;
    bool begun_ = false;
    bool ended_ = false;
};

}  // namespace

std::string csv_field(std::string_view text) {
    std::string out;
    if (is_formula_behind_quotes(text)) out.push_back('\'');
    out.append(text);
    if (out.find_first_of(";,\"\r\n") == std::string::npos && !out.starts_with(' ') && !out.ends_with(' ')) return out;
    std::string quoted = "\"";
    for (const char c : out) {
        if (c == '"') quoted.push_back('"');
        quoted.push_back(c);
    }
    return quoted + '"';
}

http::NextPiece export_users(Administration& administration, ListQuery query) {
    return [pages = std::make_shared<UserPages>(administration, std::move(query))] { return pages->next(); };
}

}  // namespace consentry

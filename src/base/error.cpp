#include "base/error.hpp"

#include "base/lock_ladder.hpp"

namespace consentry {

const boost::json::object& Error::data() const {
    static const boost::json::object none;
    return details_ ? details_->data : none;
}

const std::vector<Violation>& Error::violations() const {
    static const std::vector<Violation> none;
    return details_ ? details_->violations : none;
}

Error retry_later(const ErrorKind& kind, milliseconds wait) {
    return Error{kind, boost::json::object{{"retryAfterSeconds", whole_seconds(wait)}}};
}

}  // namespace consentry

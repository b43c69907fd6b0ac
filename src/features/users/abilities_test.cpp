#include "features/users/abilities.hpp"

#include <initializer_list>

#include <gtest/gtest.h>

namespace consentry {
namespace {

Abilities of(std::initializer_list<Ability> list) {
    Abilities out;
    for (const Ability& ability : list) out.add(ability);
    return out;
}

TEST(Abilities, AllowWhatTheyNameAndNothingElse) {
    const Abilities reader = of({{Subject::user, Action::read}});
    for (const auto& [subject, subject_name] : EnumNames<Subject>::names)
        for (const auto& [action, action_name] : EnumNames<Action>::names)
            EXPECT_EQ(reader.allow({subject, action}), subject == Subject::user && action == Action::read)
                << subject_name << ":" << action_name;
}

TEST(Abilities, ManageStandsForAllActionsAndAllForAllSubjects) {
    const Abilities manager = of({{Subject::user, Action::manage}});
    EXPECT_TRUE(manager.allow({Subject::user, Action::erase}));
    EXPECT_FALSE(manager.allow({Subject::role, Action::read}));
    const Abilities reader = of({{Subject::all, Action::read}});
    EXPECT_TRUE(reader.allow({Subject::role, Action::read}));
    EXPECT_FALSE(reader.allow({Subject::role, Action::update}));
    const Abilities everything = of({{Subject::all, Action::manage}});
    EXPECT_TRUE(everything.allow({Subject::feature_flag, Action::update}));
}

TEST(Abilities, AWildcardIsMoreThanThePartsItStandsForToday) {
    Abilities parts;
    for (const auto& [action, name] : EnumNames<Action>::names)
        if (action != Action::manage) parts.add({Subject::user, action});
    EXPECT_FALSE(parts.include(of({{Subject::user, Action::manage}})));
    Abilities readers;
    for (const auto& [subject, name] : EnumNames<Subject>::names)
        if (subject != Subject::all) readers.add({subject, Action::read});
    EXPECT_FALSE(readers.include(of({{Subject::all, Action::read}})));
    EXPECT_TRUE(of({{Subject::all, Action::manage}}).include(readers));
    EXPECT_TRUE(readers.include({}));
}

TEST(Rights, AbilitiesAreForAdminsAndSuperAdminsNeedNone) {
    const Abilities everything = of({{Subject::all, Action::manage}});
    EXPECT_FALSE((Rights{Role::user, everything}.allow({Subject::user, Action::read})));
    EXPECT_TRUE((Rights{Role::admin, everything}.allow({Subject::user, Action::read})));
    EXPECT_FALSE((Rights{Role::admin, {}}.allow({Subject::user, Action::read})));
    EXPECT_TRUE((Rights{Role::super_admin, {}}.allow({Subject::user, Action::read})));
}

TEST(Rights, NobodyReachesAboveThemselves) {
    const Rights some{Role::admin, of({{Subject::user, Action::read}})};
    const Rights all{Role::admin, of({{Subject::all, Action::manage}})};
    const Rights super{Role::super_admin, {}};
    EXPECT_TRUE(some.include(some));
    EXPECT_TRUE(all.include(some));
    EXPECT_FALSE(some.include(all));
    EXPECT_FALSE(all.include(super));
    EXPECT_TRUE(super.include(all));
    EXPECT_TRUE(super.include(super));
    EXPECT_FALSE((Rights{Role::user, all.abilities}.include(Rights{})));
}

}  // namespace
}  // namespace consentry

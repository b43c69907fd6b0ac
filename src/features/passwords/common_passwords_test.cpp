#include "features/passwords/common_passwords.hpp"

#include <algorithm>
#include <span>
#include <string>

#include <gtest/gtest.h>

#include "base/embedded.hpp"
#include "crypto/digest.hpp"

namespace consentry {

std::span<const EmbeddedFile> common_password_files();

namespace {

TEST(PWD_4, TheListHoldsMoreThanTheMostUsedTenThousand) {
    EXPECT_GE(std::ranges::count(common_password_files().front().bytes, '\n'), 80'000);
}

TEST(PWD_4, WhatPublishedListsOfMostUsedPasswordsHoldIsRefused) {
    // Passwords from the yearly lists that contain an uppercase letter, a lowercase letter and a digit, and
    // variations of them.
    for (const auto* password :
         {"Aa123456",         "Aa@123456",   "Pass@123",    "Pass@1234",   "Password1",  "Password123", "Password@123",
          "P@ssw0rd",         "P@ssw0rd1",   "P@$$w0rd",    "P@55w0rd",    "Passw0rd",   "Passw0rd!",   "Abcd1234",
          "Abcd@1234",        "Abc@1234",    "Abc12345",    "Abc123!@#",   "Admin123",   "Admin@123",   "Admin1234",
          "@Dmin123",         "Qwer1234",    "Qwerty12",    "Qwerty123",   "Qwerty@123", "Qwerty1!",    "Qwertyuiop1",
          "Asdf1234",         "Asdfgh12",    "Zxcvbnm1",    "Zxcv1234",    "1qaz2WSX",   "1qaz@WSX",    "!QAZ2wsx",
          "Zaq12wsx",         "1Q2w3e4r",    "1q2w3e4r5T",  "Q1w2e3r4",    "Qazwsx123",  "Test1234",    "Test@123",
          "Test123!",         "Welcome1",    "Welcome@123", "Welcome2026", "Summer2026", "Winter2025!", "Spring24!",
          "Login@123",        "User@1234",   "Root@123",    "Demo@123",    "Temp1234",   "Hello123",    "Hello@123",
          "India@123",        "Kumar@123",   "Krishna@123", "Rahul@123",   "Liverpool1", "Chelsea1",    "Michael1",
          "Charlie1",         "Jessica1",    "Jordan23",    "Football1",   "Baseball1",  "Monkey123",   "Dragon123",
          "Trustno1",         "Letmein1",    "Iloveyou1",   "Sunshine1",   "Princess1",  "Superman1",   "Batman123",
          "Starwars1",        "Pokemon1",    "Master123",   "Secret123",   "Changeme1",  "Changeme123", "Azerty123",
          "Motdepasse1",      "Passwort1",   "Hejsan123",   "Samsung1",    "Computer1",  "Google123",   "Facebook1",
          "Monday123",        "January2026", "Elephant1!",  "Sunflower42", "Zebra123",   "12345678aA",  "123456Aa",
          "1234Abcd",         "A1b2c3d4",    "Qwe123456",   "Asd123456",   "Asd@12345",  "Aaaaaa1!",    "Aaaa1111",
          "Test1234Test1234", "Pass1Pass1",  "PassPass12",  "Abab1212",    "4dm1n!2026", "12345678"})
        EXPECT_TRUE(is_common_password(password)) << password;
}

TEST(PWD_4, DecentPassphrasesAreTaken) {
    for (const auto* password :
         {"Velvet-Harbor-42",      "Corr3ct-Horse-Battery", "Copper-Meadow-77",      "Wrong-Harbor-42",
          "uT7k-91qL-xx",          "Sunflower-8842x",       "Sunflower-8842",        "Ada.Lovelace-1815",
          "Four Tall Giraffes 9",  "Kettle3Lantern",        "Winter-Apples-Fall-3x", "My 2 cats eat at 7",
          "ThreeGreenBottles1",    "Ginger+Lemon=Tea4",     "Grüne-Wiese-17-Kühe",   "Le chat boit 2 cafés",
          "Tres tristes tigres 3", "Mango7River9Cloud",     "blue-Piano-94-tulip",   "Nine4Hats&OneScarf"})
        EXPECT_FALSE(is_common_password(password)) << password;
}

// Returns how many of `count` pseudo-random 12-character passwords are rejected. The passwords are derived from digests
// of numbers, so that every run is the same.
int refused_of_random(int count, std::string_view alphabet) {
    int refused = 0;
    for (int i = 0; i < count; ++i) {
        const crypto::Sha256 bytes = crypto::sha256(std::to_string(i));
        std::string password;
        for (std::size_t at = 0; at < 12; ++at) password += alphabet[bytes.at(at) % alphabet.size()];
        if (is_common_password(password)) ++refused;
    }
    return refused;
}

TEST(PWD_4, RandomPasswordsAreTaken) {
    constexpr std::string_view letters_and_digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    const std::string all = std::string(letters_and_digits) + "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";
    EXPECT_LE(refused_of_random(100'000, letters_and_digits), 3);
    EXPECT_LE(refused_of_random(100'000, all), 3);
}

TEST(PWD_4, LongAndStrangeTextsAreLookedAtWithoutHarm) {
    EXPECT_TRUE(is_common_password(std::string(500, 'a')));
    EXPECT_TRUE(is_common_password(std::string(500, '7')));
    std::string long_one;
    for (int i = 0; i < 100; ++i) long_one += "k7#Q\xC3\xA9" + std::to_string(i * i);
    EXPECT_FALSE(is_common_password(long_one));
    EXPECT_TRUE(is_common_password(""));
}

}  // namespace
}  // namespace consentry

#!/bin/sh
# common_passwords.sh DICTIONARY FREQUENCY_LISTS MORE: prints the list of common passwords that the program holds, one a
# line, sorted by bytes for binary search.
#
# Each entry is lowered, and characters that look alike become one letter, exactly as look_alike() in
# src/features/passwords/common_passwords.cpp does with what somebody types.
set -eu
export LC_ALL=C
{
    cat "$1" "$3"
    # A Python file with one list a line:   "passwords": "123456,password,...".split(","),
    sed -n 's/^ *"\(passwords\|female_names\|male_names\|surnames\)": "\(.*\)"\.split.*/\2/p' "$2" | tr , '\n'
} | tr 'A-Z' 'a-z' | tr '@4013!|i5$78' 'aaolelllsstb' | grep -E '^.{4,}$' | sort -u

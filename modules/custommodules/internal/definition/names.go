package definition

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"
	"golang.org/x/text/unicode/norm"

	"github.com/dispatchd/dispatchd/platform/collection"
)

// keyPattern is snake_case in any script: letters that have no case count as lower case.
var keyPattern = regexp.MustCompile(`^[\p{Ll}\p{Lm}\p{Lo}][\p{Ll}\p{Lm}\p{Lo}\p{M}\p{Nd}_]*$`)

// reservedKeys are what records have beside their payload, and words of filters and formulas.
var reservedKeys = []string{
	"id", "uuid", "module_uuid", "payload", "version", "warnings",
	"created_at", "created_by", "updated_at", "updated_by", "deleted_at",
	"and", "or", "not", "in", "null", "nil", "true", "false",
}

// NormalKey brings the key of a field into the form in which keys are compared and kept.
func NormalKey(key string) string { return strings.ToLower(norm.NFC.String(key)) }

// CheckKey says what is wrong with a normal key, "" if nothing.
func CheckKey(key string, most int) string {
	switch {
	case key == "":
		return "The key is required."
	case utf8.RuneCountInString(key) > most:
		return fmt.Sprintf("The key must not be longer than %d characters.", most)
	case !keyPattern.MatchString(key):
		return "The key must be in snake_case: lower case letters, digits and underscores, starting with a letter."
	case slices.Contains(reservedKeys, key):
		return "The key " + key + " is reserved."
	}

	return ""
}

// Quantity is a number with its noun: "1 record", "2 records".
func Quantity(n int64, noun string) string {
	if n != 1 {
		noun += "s"
	}

	return strconv.FormatInt(n, 10) + " " + noun
}

// CollectionOf names the collection of a module.
func CollectionOf(module uuid.UUID) collection.Name { return collection.Name(module.String()) }

// Base is where the operations of the area are.
const Base = "/custom_modules/api/v1"

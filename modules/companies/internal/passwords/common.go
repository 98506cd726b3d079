package passwords

import (
	"bufio"
	"embed"
	"regexp"
	"strings"
)

// The 20,000 passwords that are used most, of zxcvbn 4.4.2 (https://github.com/dropbox/zxcvbn), without those of
// digits alone. They are read when a password is set, which is seldom.
//
//go:embed common
var commonFiles embed.FS

// ornament is what people put around a word to have it accepted: "password1234", "!Welcome2026".
var ornament = regexp.MustCompile(`^[^\pL]+|[^\pL]+$`)

// undoLeet returns a text with letters in place of the digits and signs that people write for them.
func undoLeet(text string) string {
	return strings.NewReplacer("0", "o", "1", "i", "3", "e", "4", "a", "5", "s", "7", "t", "@", "a", "$", "s", "!", "i").Replace(text)
}

// guessedFirst reports whether a password is one of the common ones or one of the words known of its user,
// plain, repeated, written with digits for letters or with digits and signs around it, or a run such as
// abcdefghijkl.
func guessedFirst(password string, known []string) (bool, error) {
	plain := strings.ToLower(strings.TrimSpace(password))
	words := map[string]bool{}
	for _, form := range []string{plain, undoLeet(plain)} {
		for _, word := range []string{form, ornament.ReplaceAllString(form, "")} {
			words[word], words[repeatedWord(word)] = true, true
		}
	}
	words[undoLeet(ornament.ReplaceAllString(plain, ""))] = true
	delete(words, "")
	for _, k := range known {
		if words[strings.ToLower(strings.TrimSpace(k))] {
			return true, nil
		}
	}
	if isRun(plain) {
		return true, nil
	}

	return inCommon(words)
}

// inCommon reports whether one of the words is a common password.
func inCommon(words map[string]bool) (bool, error) {
	file, err := commonFiles.Open("common/passwords.txt")
	if err != nil {
		return false, err
	}
	defer file.Close() //nolint:errcheck // of memory
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		if words[lines.Text()] {
			return true, nil
		}
	}

	return false, lines.Err()
}

// repeatedWord returns the word of which a text is a repetition, such as "pass" for "passpasspass".
func repeatedWord(text string) string {
	// A text is a repetition if it is found in its double before its end.
	again := strings.Index((text + text)[min(1, len(text)):], text) + 1

	return text[:min(again, len(text))]
}

// isRun reports whether each character is the one after, or before, the last; 0 comes after 9.
func isRun(text string) bool {
	step := rune(0)
	letters := []rune(text)
	for i := 1; i < len(letters); i++ {
		next := letters[i] - letters[i-1]
		switch {
		case letters[i] == '0' && letters[i-1] == '9':
			next = 1
		case letters[i] == '9' && letters[i-1] == '0':
			next = -1
		}
		if next != 1 && next != -1 || i > 1 && next != step {
			return false
		}
		step = next
	}

	return true
}

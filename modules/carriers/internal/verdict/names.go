package verdict

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// legalForms are the words at the end of a company's name by which registers differ from how the company writes itself.
var legalForms = []string{
	"llc", "lc", "llp", "lp", "pllc", "inc", "incorporated", "corp", "corporation", "co", "company", "ltd", "limited", "sa", "cv", "de", "rl", "s", "srl", "sapi",
}

// nameOnRecord compares the names of a carrier with those of the regulator's record.
func nameOnRecord(s *Subject) value {
	record := s.Facts.Identity
	if record.LegalName == "" && record.DBA == "" || len(s.Own.Names) == 0 {
		return value{source: record.Source.Name}
	}
	same := slices.ContainsFunc(s.Own.Names, func(name string) bool {
		folded := foldName(name)

		return folded != "" && (folded == foldName(record.LegalName) || folded == foldName(record.DBA))
	})

	return value{same, true, record.Source.Name}
}

// foldName folds a company's name for comparison: accents, case, punctuation, a leading "the", and legal forms at the end do not count.
func foldName(name string) string {
	plain := strings.Map(func(r rune) rune {
		switch {
		case unicode.Is(unicode.Mn, r), r == '.', r == '\'', r == '’':
			return -1
		case unicode.IsLetter(r), unicode.IsDigit(r):
			return unicode.ToLower(r)
		}

		return ' '
	}, norm.NFKD.String(strings.ReplaceAll(name, "&", " and ")))
	words := strings.Fields(plain)
	if len(words) > 1 && words[0] == "the" {
		words = words[1:]
	}
	for len(words) > 1 && slices.Contains(legalForms, words[len(words)-1]) {
		words = words[:len(words)-1]
	}

	return strings.Join(words, "")
}

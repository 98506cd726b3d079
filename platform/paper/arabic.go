package paper

import "unicode"

// letterForms are the presentation forms of an Arabic letter: they follow each other from alone: alone, at the end of a word, at its beginning, within.
// Letters with two forms join the letter before them alone.
type letterForms struct {
	alone rune
	count int
}

// arabicForms are the forms of the letters of Arabic, Persian and Urdu (Unicode, Arabic Presentation Forms A and B).
var arabicForms = map[rune]letterForms{
	0x0621: {0xFE80, 1}, 0x0622: {0xFE81, 2}, 0x0623: {0xFE83, 2}, 0x0624: {0xFE85, 2}, 0x0625: {0xFE87, 2}, 0x0626: {0xFE89, 4}, 0x0627: {0xFE8D, 2},
	0x0628: {0xFE8F, 4}, 0x0629: {0xFE93, 2}, 0x062A: {0xFE95, 4}, 0x062B: {0xFE99, 4}, 0x062C: {0xFE9D, 4}, 0x062D: {0xFEA1, 4}, 0x062E: {0xFEA5, 4},
	0x062F: {0xFEA9, 2}, 0x0630: {0xFEAB, 2}, 0x0631: {0xFEAD, 2}, 0x0632: {0xFEAF, 2}, 0x0633: {0xFEB1, 4}, 0x0634: {0xFEB5, 4}, 0x0635: {0xFEB9, 4},
	0x0636: {0xFEBD, 4}, 0x0637: {0xFEC1, 4}, 0x0638: {0xFEC5, 4}, 0x0639: {0xFEC9, 4}, 0x063A: {0xFECD, 4}, 0x0641: {0xFED1, 4}, 0x0642: {0xFED5, 4},
	0x0643: {0xFED9, 4}, 0x0644: {0xFEDD, 4}, 0x0645: {0xFEE1, 4}, 0x0646: {0xFEE5, 4}, 0x0647: {0xFEE9, 4}, 0x0648: {0xFEED, 2}, 0x0649: {0xFEEF, 2},
	0x064A: {0xFEF1, 4}, 0x0679: {0xFB66, 4}, 0x067E: {0xFB56, 4}, 0x0686: {0xFB7A, 4}, 0x0688: {0xFB88, 2}, 0x0691: {0xFB8C, 2}, 0x0698: {0xFB8A, 2},
	0x06A9: {0xFB8E, 4}, 0x06AF: {0xFB92, 4}, 0x06BA: {0xFB9E, 2}, 0x06BE: {0xFBAA, 4}, 0x06C0: {0xFBA4, 2}, 0x06C1: {0xFBA6, 4}, 0x06CC: {0xFBFC, 4},
	0x06D2: {0xFBAE, 2},
}

// lamAlef are the forms of a lam with the alef that follows it: alone, and at the end.
var lamAlef = map[rune]rune{0x0622: 0xFEF5, 0x0623: 0xFEF7, 0x0625: 0xFEF9, 0x0627: 0xFEFB}

const (
	lam         = 0x0644
	tatweel     = 0x0640
	joiner      = 0x200D
	joinedBoth  = 4
	joinedOnce  = 2
	arabicFirst = 0x0621
	arabicLast  = 0x06D2
)

// joinsNext and joinsPrevious report whether a letter joins the one after it, and the one before.
func joinsNext(r rune) bool {
	return r == tatweel || r == joiner || arabicForms[r].count == joinedBoth
}

func joinsPrevious(r rune) bool {
	return r == tatweel || r == joiner || arabicForms[r].count >= joinedOnce
}

// joined puts the letters of a text into the forms in which they join each other. Their order stays.
func joined(text []rune) []rune {
	if !hasArabic(text) {
		return text
	}
	out := make([]rune, 0, len(text))
	for i := 0; i < len(text); i++ {
		r := text[i]
		forms, known := arabicForms[r]
		if !known {
			out = append(out, r)

			continue
		}
		before, after := beside(text, i, -1), beside(text, i, 1)
		fromBefore := joinsNext(before) && joinsPrevious(r)
		if ligature, is := lamAlef[after]; r == lam && is && i+1 < len(text) && text[i+1] == after {
			if fromBefore {
				ligature++
			}
			out = append(out, ligature)
			i++

			continue
		}
		form := forms.alone
		switch toAfter := joinsNext(r) && joinsPrevious(after); {
		case fromBefore && toAfter:
			form += 3
		case toAfter:
			form += 2
		case fromBefore:
			form++
		}
		out = append(out, form)
	}

	return out
}

func hasArabic(text []rune) bool {
	for _, r := range text {
		if r >= arabicFirst && r <= arabicLast {
			return true
		}
	}

	return false
}

// beside is the letter next to one, past marks above and below letters; 0 for none.
func beside(text []rune, i, step int) rune {
	for i += step; i >= 0 && i < len(text); i += step {
		if !unicode.Is(unicode.Mn, text[i]) {
			return text[i]
		}
	}

	return 0
}

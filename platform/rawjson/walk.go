package rawjson

import "iter"

// Members yields the members of a JSON object in their order, each with its name as it stands
// between the quotes, escapes and all, and its value without the space around it. The slices are
// parts of object. The object must be valid JSON; of anything else members yields what it makes of
// it, and never reads beyond its end.
func Members(object []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(name, value []byte) bool) {
		at := skipSpace(object, 0)
		if at >= len(object) || object[at] != '{' {
			return
		}
		for at++; ; at++ {
			at = skipSpace(object, at)
			if at >= len(object) || object[at] != '"' {
				return
			}
			nameEnd := skipString(object, at)
			name := object[at+1 : max(at+1, nameEnd-1)]

			start := skipSpace(object, skipSpace(object, nameEnd)+1)
			if start >= len(object) {
				return
			}
			end := skipValue(object, start)
			if !yield(name, object[start:end]) {
				return
			}
			at = skipSpace(object, end)
			if at >= len(object) || object[at] != ',' {
				return
			}
		}
	}
}

// skipSpace returns the position of the first byte from at on that is not white space.
func skipSpace(text []byte, at int) int {
	for at < len(text) && (text[at] == ' ' || text[at] == '\n' || text[at] == '\t' || text[at] == '\r') {
		at++
	}

	return at
}

// skipString returns the position after the string that starts at at.
func skipString(text []byte, at int) int {
	for at++; at < len(text); at++ {
		switch text[at] {
		case '\\':
			at++
		case '"':
			return at + 1
		}
	}

	return len(text)
}

// skipValue returns the position after the value that starts at at.
func skipValue(text []byte, at int) int {
	switch text[at] {
	case '"':
		return skipString(text, at)
	case '{', '[':
		return skipNested(text, at)
	}
	for ; at < len(text); at++ {
		switch text[at] {
		case ',', '}', ']', ' ', '\n', '\t', '\r':
			return at
		}
	}

	return at
}

// skipNested returns the position after the object or list that starts at at.
func skipNested(text []byte, at int) int {
	depth := 0
	for at < len(text) {
		switch text[at] {
		case '"':
			at = skipString(text, at)

			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		at++
		if depth == 0 {
			return at
		}
	}

	return len(text)
}

// Depth returns how many levels of objects and lists a valid JSON value has.
func Depth(value []byte) int {
	level, deepest := 0, 0
	for at := 0; at < len(value); at++ {
		switch value[at] {
		case '"':
			at = skipString(value, at) - 1
		case '{', '[':
			level++
			deepest = max(deepest, level)
		case '}', ']':
			level--
		}
	}

	return deepest
}

// AppendCompact appends a valid JSON value without the white space between its tokens.
func AppendCompact(to, value []byte) []byte {
	if value[0] != '{' && value[0] != '[' {
		return append(to, value...)
	}
	for at := 0; at < len(value); {
		switch value[at] {
		case '"':
			end := skipString(value, at)
			to = append(to, value[at:end]...)
			at = end
		case ' ', '\n', '\t', '\r':
			at++
		default:
			to = append(to, value[at])
			at++
		}
	}

	return to
}

// Elements yields the values of a JSON list in their order, as Members does those of an object.
func Elements(list []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for at := 1; ; at++ {
			at = skipSpace(list, at)
			if at >= len(list) || list[at] == ']' {
				return
			}
			end := skipValue(list, at)
			if !yield(list[at:end]) {
				return
			}
			at = skipSpace(list, end)
			if at >= len(list) || list[at] != ',' {
				return
			}
		}
	}
}

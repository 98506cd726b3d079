package numbering

import "strconv"

// counter is the numbers that were given with one shape: the counts 1 to Last, with up to Width
// digits, or as many as Last has if those are more.
type counter struct {
	shape

	Last  int64
	Width int
}

// repeats reports whether the template could, on some day, make a number that the counter has given
// and that it does not count on from. It may say yes where the calendar would not allow it (a month
// 40), never no where a number would come twice.
//
// All that a template makes around the count has one length whatever the day, so a number of a
// given length splits in one way only: what of it would be the count is known, and each character
// can be compared by itself.
func (t template) repeats(c counter) bool {
	if c.Last == 0 {
		return false
	}
	before, after := patternOf(t.before), patternOf(t.after)
	digits := len(strconv.FormatInt(c.Last, 10))
	for width := 1; width <= max(c.Width, digits); width++ {
		given := c.pattern(width, digits)
		count := len(given) - len(before) - len(after)
		if count < t.width || count > maxDigits {
			continue
		}
		if len(before) == len(c.Prefix) && len(after) == len(c.Suffix) {
			continue // what could be equal has equal shapes, so it is counted together
		}
		if canCollide(given, before, count, after) {
			return true
		}
	}

	return false
}

// class is the set of characters that can stand somewhere: one of them, or digits.
type class struct{ low, high byte }

func singleClass(c byte) class { return class{low: c, high: c} }

func (a class) overlaps(b class) bool { return a.low <= b.high && b.low <= a.high }

// patternOf is what tokens can make on any day. A year has no leading zero.
func patternOf(tokens []token) []class {
	var all []class
	for _, t := range tokens {
		for i := range len(t.literal) {
			all = append(all, singleClass(t.literal[i]))
		}
		for i := range len(t.date) {
			low := byte('0')
			if t.date == yyyy && i == 0 {
				low = '1'
			}
			all = append(all, class{low: low, high: '9'})
		}
	}

	return all
}

// pattern is the numbers of the counter that have a width of their count, of which the last has so
// many digits: what is wider begins with zeros.
func (c counter) pattern(width, digits int) []class {
	all := patternOf([]token{{literal: c.Prefix}})
	for i := range width {
		if i < width-digits {
			all = append(all, singleClass('0'))
		} else {
			all = append(all, class{low: '0', high: '9'})
		}
	}

	return append(all, patternOf([]token{{literal: c.Suffix}})...)
}

// canCollide reports whether some number of the pattern given is also one of before, count digits, after.
func canCollide(given, before []class, count int, after []class) bool {
	for i, c := range given {
		other := class{low: '0', high: '9'}
		switch {
		case i < len(before):
			other = before[i]
		case i >= len(before)+count:
			other = after[i-len(before)-count]
		}
		if !c.overlaps(other) {
			return false
		}
	}

	return true
}

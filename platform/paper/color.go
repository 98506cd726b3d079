package paper

import "strconv"

// accentOf is the color of a letterhead, dark enough to be read on white.
func accentOf(hex string) rgb {
	standard := rgb{0x1d, 0x3b, 0x5c}
	if len(hex) != len("#000000") || hex[0] != '#' {
		return standard
	}
	n, err := strconv.ParseUint(hex[1:], 16, 32)
	if err != nil {
		return standard
	}
	c := rgb{int(n >> 16), int(n >> 8 & 0xff), int(n & 0xff)}
	const enough, darker, whole = 105, 9, 10 // a contrast of about 5.5 to white
	for c.bright() > enough {
		c = rgb{c.r * darker / whole, c.g * darker / whole, c.b * darker / whole}
	}

	return c
}

// bright is how bright a color is, 0 to 255.
func (c rgb) bright() int { return (299*c.r + 587*c.g + 114*c.b) / 1000 }

// tint is a color mixed with much white.
func (c rgb) tint() rgb {
	const share, whole = 6, 100
	mix := func(v int) int { return 255 - (255-v)*share/whole }

	return rgb{mix(c.r), mix(c.g), mix(c.b)}
}

func (c rgb) hex() string {
	const digits = "0123456789abcdef"
	out := []byte{'#'}
	for _, v := range []int{c.r, c.g, c.b} {
		out = append(out, digits[v>>4], digits[v&15])
	}

	return string(out)
}

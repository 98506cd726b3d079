package page

import (
	"math"
	"regexp"
	"strconv"
	"strings"
)

// Brand is whose page it is.
type Brand struct {
	Name string `json:"name"`
	// PrimaryColor is #rrggbb; what is none is not used.
	PrimaryColor string `json:"primary_color"`
	// Logo is the path of an image of the service itself, "" for none: pages load nothing from elsewhere.
	Logo string `json:"logo"`
}

// Initial is the first letter of the name.
func (b Brand) Initial() string {
	for _, letter := range b.Name {
		return strings.ToUpper(string(letter))
	}

	return ""
}

var colorRule = regexp.MustCompile(`^#[0-9a-fA-F]{6}$`)

// The grounds of the layout, in light and dark, on which the brand's color must be seen.
const (
	lightGround = "#ffffff"
	darkGround  = "#191c1f"
	// leastContrast is what WCAG 2.2 asks of controls and their text (1.4.3, 1.4.11).
	leastContrast = 4.5
)

// style makes the brand's color the accent of the page, where it can be read: as a ground of white or black text, and on the ground
// of the page itself.
func (b Brand) style() string {
	if !colorRule.MatchString(b.PrimaryColor) {
		return ""
	}
	on := "#ffffff"
	if contrast(b.PrimaryColor, on) < contrast(b.PrimaryColor, "#000000") {
		on = "#000000"
	}
	rule := func(ground string) string {
		if contrast(b.PrimaryColor, ground) < leastContrast {
			return ""
		}

		return ":root { --accent: " + b.PrimaryColor + "; --on-accent: " + on + "; }"
	}
	style := ""
	if light := rule(lightGround); light != "" {
		style += "@media (prefers-color-scheme: light) { " + light + " }\n"
	}
	if dark := rule(darkGround); dark != "" {
		style += "@media (prefers-color-scheme: dark) { " + dark + " }\n"
	}

	return style + ".mark { background: " + b.PrimaryColor + "; color: " + on + "; }\n"
}

// contrast is the ratio of WCAG 2.2 between two colors, from 1 to 21.
func contrast(a, b string) float64 {
	x, y := luminance(a), luminance(b)

	return (max(x, y) + 0.05) / (min(x, y) + 0.05) //nolint:mnd // WCAG's
}

// luminance is the relative luminance of #rrggbb.
func luminance(color string) float64 {
	part := func(from int) float64 {
		n, err := strconv.ParseUint(color[from:from+2], 16, 8)
		if err != nil {
			return 0
		}
		c := float64(n) / math.MaxUint8
		if c <= 0.04045 { //nolint:mnd // sRGB
			return c / 12.92 //nolint:mnd // sRGB
		}

		return math.Pow((c+0.055)/1.055, 2.4) //nolint:mnd // sRGB
	}

	return 0.2126*part(1) + 0.7152*part(3) + 0.0722*part(5) //nolint:mnd // WCAG's
}

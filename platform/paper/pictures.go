package paper

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"codeberg.org/go-pdf/fpdf"
)

// photos are a grid of photos with captions; a row stays whole.
func (s *sheet) photos(p Photos, width float64) (all []piece) {
	if len(p.Items) == 0 {
		return nil
	}
	if p.Title != "" {
		s.where = p.Title
	}
	const standard, most, between, ratio = 3, 5, 3.5, 0.75
	columns := min(max(cmp.Or(p.Columns, standard), 1), most)
	each := (width - between*float64(columns-1)) / float64(columns)
	high := each * ratio * s.scale
	where := s.where
	for from := 0; from < len(p.Items); from += columns {
		row := p.Items[from:min(from+columns, len(p.Items))]
		captions, below := make([][]line, len(row)), 0.0
		for i, one := range row {
			s.where = join(where, first(one.Caption))
			captions[i] = s.text(one.Caption, &s.styles.label, each)
			below = max(below, heightOf(captions[i]))
		}
		if below > 0 {
			below += s.mm(0.8)
		}
		all = append(all, piece{gap: s.mm(between), height: high + below, draw: func(x, y float64) {
			for i, one := range row {
				s.picture(one.Picture, join(where, first(one.Caption)), x, y, each, high, true)
				s.draw(captions[i], x, y+high+s.mm(0.8), each, Left)
				x += each + between
			}
		}})
	}
	s.where = where

	return s.titled(p.Title, width, all)
}

// first is the first line of a text.
func first(text string) string {
	text, _, _ = strings.Cut(text, "\n")

	return text
}

// picture draws a picture into a field, with a frame around the field if it is matted. It is read now.
func (s *sheet) picture(p Picture, where string, x, y, wide, high float64, matted bool) {
	if matted {
		s.fill(x, y, wide, high, pale)
	}
	if p.Open == nil {
		return
	}
	file, kind, size, err := s.shrunk(p, wide, high)
	if err != nil {
		s.unreadable(where, err)
		s.border(x, y, wide, high, 0.2, rule)
		s.draw(s.text("Picture not available", &s.styles.label, wide-2), x+1, y+high/2-s.styles.label.high()/2, wide-2, Center)

		return
	}
	scale := min(wide/float64(size.X), high/float64(size.Y))
	drawnWide, drawnHigh := float64(size.X)*scale, float64(size.Y)*scale
	if matted {
		x, y = x+(wide-drawnWide)/2, y+(high-drawnHigh)/2
	}
	hash := sha256.Sum256(file)
	name, options := hex.EncodeToString(hash[:]), fpdf.ImageOptions{ImageType: kind}
	if s.pdf.GetImageInfo(name) == nil {
		s.pictures++
		info := s.pdf.RegisterImageOptionsReader(name, options, bytes.NewReader(file))
		if s.pdf.Err() {
			return
		}
		if err := setApart(info, s.pictures); err != nil {
			s.pdf.SetError(err)

			return
		}
	}
	s.pdf.ImageOptions(name, x, y, drawnWide, drawnHigh, false, options, 0, "")
}

// unreadable notes a picture that is not drawn.
func (s *sheet) unreadable(where string, err error) {
	s.warnings.all = append(s.warnings.all, Warning{Code: WarnPicture, Where: where, Text: "The picture cannot be shown: " + err.Error() + "."})
}

// image is a single picture. Its height is not known before it is drawn, so that it is opened once more to look.
func (s *sheet) image(b Image, width float64) []piece {
	if b.Picture.Open == nil {
		return nil
	}
	wide := width
	if b.Width > 0 {
		wide = min(b.Width, width)
	}
	wide, high := s.measured(b.Picture, wide, s.room()*0.8)
	where := join("Image", first(cmp.Or(b.Caption, b.Picture.Alt)))
	caption := s.text(b.Caption, &s.styles.label, wide)
	below := heightOf(caption)
	if below > 0 {
		below += s.mm(0.8)
	}

	return []piece{{gap: s.mm(gapBlock), height: high + below, draw: func(x, y float64) {
		switch b.Align {
		case Right:
			x += width - wide
		case Center:
			x += (width - wide) / 2
		case Left:
		}
		s.picture(b.Picture, where, x, y, wide, high, false)
		s.draw(caption, x, y+high+s.mm(0.8), wide, Left)
	}}}
}

// measured returns the size of a picture on the paper, in millimetres, within a field.
func (s *sheet) measured(p Picture, wide, high float64) (float64, float64) {
	const standard = 40.0 // of one that cannot be read
	if s.measuredPictures == len(*s.sizes) {
		size, _ := p.size(s.ctx) //nolint:errcheck // it is noted when it is drawn
		*s.sizes = append(*s.sizes, size)
	}
	size := (*s.sizes)[s.measuredPictures]
	s.measuredPictures++
	if size.X == 0 || size.Y == 0 {
		return wide, min(standard, high)
	}
	const largest = 25.4 / 100 // of a pixel
	scale := min(largest, wide/float64(size.X), high/float64(size.Y))

	return float64(size.X) * scale, float64(size.Y) * scale
}

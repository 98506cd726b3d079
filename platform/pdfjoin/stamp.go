package pdfjoin

import (
	"context"
	"fmt"
	"math"

	"github.com/carlos7ags/folio/core"
	"github.com/carlos7ags/folio/reader"
)

// MaxStamp is how many letters a stamp may have.
const MaxStamp = 20

// Stamp returns a PDF with a word of capital letters from A to Z, large and pale across each page. Errors: ErrUnreadable.
func Stamp(ctx context.Context, file []byte, word string) ([]byte, error) {
	if len(word) == 0 || len(word) > MaxStamp {
		return nil, fmt.Errorf("stamp %q: want 1 to %d letters", word, MaxStamp)
	}
	for _, letter := range word {
		if letter < 'A' || letter > 'Z' {
			return nil, fmt.Errorf("stamp %q: want capital letters", word)
		}
	}
	_, stamped, err := run(ctx, MaxTime, modeStamp, [][]byte{[]byte(word), file})

	return stamped, err
}

// stampName is what the stamp is called among the resources of a page.
const stampName = "DispatchdStamp"

// mark puts the stamp on a copied page, above what is there.
func (j *joiner) mark(r *reader.PdfReader, copied *core.PdfDictionary, page *reader.PageInfo, copier *reader.Copier) error {
	resources, err := page.Resources()
	if err != nil {
		return refusal("The file is damaged.")
	}
	own, drawn := core.NewPdfDictionary(), core.NewPdfDictionary()
	if resources != nil {
		pictures, err := r.ResolveObject(resources.Get("XObject"))
		if err != nil {
			return refusal("The file is damaged.")
		}
		from, _ := pictures.(*core.PdfDictionary) // a page without pictures has none
		if err := copyInto(own, resources, copier); err != nil {
			return err
		}
		if err := copyInto(drawn, from, copier); err != nil {
			return err
		}
	}
	drawn.Set(stampName, j.writer.AddObject(stampForm(j.stamp, page.VisibleBox())))
	own.Set("XObject", drawn)
	copied.Set("Resources", own)

	contents := core.NewPdfArray(j.writer.AddObject(core.NewPdfStream([]byte("q\n"))))
	before, err := r.ResolveObject(page.Dict().Get("Contents"))
	if err != nil {
		return refusal("The file is damaged.")
	}
	if list, is := before.(*core.PdfArray); is {
		for _, one := range list.All() {
			part, err := copier.CopyObject(one)
			if err != nil {
				return refusal("The file is damaged.")
			}
			contents.Add(part)
		}
	} else if was := copied.Get("Contents"); was != nil {
		contents.Add(was)
	}
	contents.Add(j.writer.AddObject(core.NewPdfStream([]byte("\nQ\nq /" + stampName + " Do Q\n"))))
	copied.Set("Contents", contents)

	return nil
}

// stampForm draws a word from the lower left to the upper right of a box.
func stampForm(word string, box reader.Box) *core.PdfStream {
	const share, wide = 0.8, 0.72 // of the diagonal; of the size of a letter, on average
	across, up := box.Width(), box.Height()
	diagonal := math.Hypot(across, up)
	size := share * diagonal / (wide * float64(len(word)))
	size = min(size, up/4) //nolint:mnd // a short word
	long := wide * size * float64(len(word))
	sin, cos := up/diagonal, across/diagonal
	x := (box.X1+box.X2)/2 - long/2*cos + size/3*sin
	y := (box.Y1+box.Y2)/2 - long/2*sin - size/3*cos
	form := core.NewPdfStream([]byte(fmt.Sprintf("/G gs 0.8 0.1 0.1 rg BT /F %.2f Tf %.4f %.4f %.4f %.4f %.2f %.2f Tm (%s) Tj ET\n", size, cos, sin, -sin, cos, x, y, word)))
	font := core.NewPdfDictionary()
	font.Set("Type", core.NewPdfName("Font"))
	font.Set("Subtype", core.NewPdfName("Type1"))
	font.Set("BaseFont", core.NewPdfName("Helvetica-Bold"))
	pale := core.NewPdfDictionary()
	pale.Set("ca", core.NewPdfReal(0.3)) //nolint:mnd // what is below can be read
	resources := core.NewPdfDictionary()
	resources.Set("Font", dictionaryOf("F", font))
	resources.Set("ExtGState", dictionaryOf("G", pale))
	form.Dict.Set("Type", core.NewPdfName("XObject"))
	form.Dict.Set("Subtype", core.NewPdfName("Form"))
	form.Dict.Set("BBox", core.NewPdfArray(core.NewPdfReal(box.X1), core.NewPdfReal(box.Y1), core.NewPdfReal(box.X2), core.NewPdfReal(box.Y2)))
	form.Dict.Set("Resources", resources)

	return form
}

// copyInto copies the entries of a dictionary; nil has none.
func copyInto(to, from *core.PdfDictionary, copier *reader.Copier) error {
	if from == nil {
		return nil
	}
	for key, value := range from.All() {
		copied, err := copier.CopyObject(value)
		if err != nil {
			return refusal("The file is damaged.")
		}
		to.Set(key, copied)
	}

	return nil
}

func dictionaryOf(key string, value core.PdfObject) *core.PdfDictionary {
	d := core.NewPdfDictionary()
	d.Set(key, value)

	return d
}

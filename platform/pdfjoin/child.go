package pdfjoin

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"time"

	"github.com/carlos7ags/folio/core"
	"github.com/carlos7ags/folio/document"
	"github.com/carlos7ags/folio/reader"
)

const (
	watchEvery = 5 * time.Millisecond
	maxStack   = 256 << 20
	// maxObjects also bounds how deep the library's recursion along references can go.
	maxObjects = 200_000
)

// ServeChild joins files and ends the process if it was started to do so; otherwise it returns at once.
func ServeChild() {
	if os.Getenv(childVariable) == "" {
		return
	}
	debug.SetMaxStack(maxStack)
	go endWhenTooLarge()
	if err := serve(os.Stdin, os.Stdout); err != nil {
		os.Exit(1) //nolint:forbidigo // the process is the child
	}
	os.Exit(0) //nolint:forbidigo // as above
}

// endWhenTooLarge ends the process when it uses too much memory, or has outlived its parent's patience.
func endWhenTooLarge() {
	used := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	for range 2 * MaxTime / watchEvery {
		time.Sleep(watchEvery)
		metrics.Read(used)
		if used[0].Value.Uint64()-used[1].Value.Uint64() > maxMemory {
			break
		}
	}
	os.Exit(1) //nolint:forbidigo // the process is the child
}

// refusal is why files cannot be joined.
type refusal string

func (r refusal) Error() string { return string(r) }

// serve reads a request and writes the answer.
func serve(in io.Reader, out io.Writer) error {
	mode, files, err := readRequest(bufio.NewReader(in))
	if err != nil {
		return err
	}
	w := bufio.NewWriter(out)
	var stamp string
	if mode == modeStamp && len(files) > 0 {
		stamp, files = string(files[0]), files[1:]
	}
	pages, joined, err := join(files, stamp, mode != modePages)
	if why, refused := errors.AsType[refusal](err); refused {
		_, err := fmt.Fprintf(w, "refused %s\n", why)

		return errors.Join(err, w.Flush())
	}
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(w, "pages %d\n", pages); err != nil {
		return err
	}
	_, err = w.Write(joined)

	return errors.Join(err, w.Flush())
}

func readRequest(in *bufio.Reader) (mode byte, files [][]byte, err error) {
	if mode, err = in.ReadByte(); err != nil {
		return 0, nil, err
	}
	for {
		var size uint32
		err := binary.Read(in, binary.BigEndian, &size)
		if errors.Is(err, io.EOF) {
			return mode, files, nil
		}
		if err != nil {
			return 0, nil, err
		}
		file := make([]byte, min(size, MaxBytes))
		if _, err := io.ReadFull(in, file); err != nil {
			return 0, nil, err
		}
		files = append(files, file)
	}
}

// joiner writes pages of several files into one, each with a stamp if there is one.
type joiner struct {
	writer *document.Writer
	tree   *core.PdfIndirectReference
	kids   *core.PdfArray
	stamp  string
}

// join reads all pages, and writes them if they are wanted. What the library panics at is a refusal.
func join(files [][]byte, stamp string, write bool) (pages int, joined []byte, err error) {
	defer func() {
		if recover() != nil {
			err = refusal("The file is damaged.")
		}
	}()
	w := document.NewWriter("1.7")
	tree := core.NewPdfDictionary()
	j := joiner{writer: w, tree: w.AddObject(tree), kids: core.NewPdfArray(), stamp: stamp}
	for _, file := range files {
		if err := j.add(file); err != nil {
			return 0, nil, err
		}
	}
	tree.Set("Type", core.NewPdfName("Pages"))
	tree.Set("Kids", j.kids)
	tree.Set("Count", core.NewPdfInteger(j.kids.Len()))
	catalog := core.NewPdfDictionary()
	catalog.Set("Type", core.NewPdfName("Catalog"))
	catalog.Set("Pages", j.tree)
	w.SetRoot(w.AddObject(catalog))
	if !write {
		return j.kids.Len(), nil, nil
	}
	var out bytes.Buffer
	if _, err := w.WriteTo(&out); err != nil {
		return 0, nil, refusal("The file is damaged.")
	}

	return j.kids.Len(), out.Bytes(), nil
}

// add appends the pages of one file. Pages get the boxes, the rotation and the resources that they inherit, which the library's own merging leaves behind.
func (j *joiner) add(file []byte) error {
	r, err := reader.ParseWithOptions(file, reader.ReadOptions{MemoryLimits: reader.MemoryLimits{
		MaxStreamSize: maxMemory / 4, MaxTotalAlloc: maxMemory / 2, MaxXrefSize: maxMemory / 32, MaxObjectCount: maxObjects, //nolint:mnd // shares
	}})
	switch {
	case errors.Is(err, reader.ErrInvalidPassword), errors.Is(err, reader.ErrUnsupportedEncryption):
		return refusal("The file is protected by a password.")
	case errors.Is(err, reader.ErrMemoryLimitExceeded):
		return refusal("The file unpacks to more than can be read.")
	case err != nil:
		return refusal("The file is damaged, or is no PDF.")
	case r.PageCount() == 0:
		return refusal("The file has no pages.")
	case j.kids.Len()+r.PageCount() > MaxPages:
		return refusal(fmt.Sprintf("The files have more than %d pages together.", MaxPages))
	}
	var last core.PdfObject
	copier := reader.NewCopier(r, func(o core.PdfObject) *core.PdfIndirectReference {
		last = o

		return j.writer.AddObject(o)
	})
	for i := range r.PageCount() {
		page, err := r.Page(i)
		if err != nil {
			return refusal("The file is damaged.")
		}
		page.Dict().Remove("Parent") // which leads to all other pages
		ref, err := copier.CopyPage(i)
		if err != nil || ref == nil {
			return refusal("The file is damaged.")
		}
		copied, is := last.(*core.PdfDictionary)
		if !is {
			return refusal("The file is damaged.")
		}
		if err := inherit(copied, page, copier); err != nil {
			return err
		}
		if j.stamp != "" {
			if err := j.mark(r, copied, page, copier); err != nil {
				return err
			}
		}
		copied.Set("Parent", j.tree)
		j.kids.Add(ref)
	}

	return nil
}

// inherit gives a copied page what it had of the nodes above it.
func inherit(copied *core.PdfDictionary, page *reader.PageInfo, copier *reader.Copier) error {
	for key, box := range map[string]reader.Box{"MediaBox": page.MediaBox, "CropBox": page.CropBox} {
		if copied.Get(key) == nil && !box.IsZero() {
			copied.Set(key, core.NewPdfArray(core.NewPdfReal(box.X1), core.NewPdfReal(box.Y1), core.NewPdfReal(box.X2), core.NewPdfReal(box.Y2)))
		}
	}
	if copied.Get("MediaBox") == nil {
		copied.Set("MediaBox", core.NewPdfArray(core.NewPdfInteger(0), core.NewPdfInteger(0), core.NewPdfInteger(612), core.NewPdfInteger(792))) //nolint:mnd // Letter
	}
	if copied.Get("Rotate") == nil && page.Rotate != 0 {
		copied.Set("Rotate", core.NewPdfInteger(page.Rotate))
	}
	if copied.Get("Resources") == nil {
		resources, err := page.Resources()
		if err != nil {
			return refusal("The file is damaged.")
		}
		if resources != nil {
			own, err := copier.CopyObject(resources)
			if err != nil {
				return refusal("The file is damaged.")
			}
			copied.Set("Resources", own)
		}
	}

	return nil
}

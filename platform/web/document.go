package web

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// description is the OpenAPI document in pieces. The document of an area is made of some of them.
type description struct {
	// head is what every document begins with.
	head       *huma.OpenAPI
	operations []piece
	// components are by what refers to them: "schemas/Error".
	components map[string]piece
	examples   map[string]*huma.Example // of components
}

// piece is the text of an operation, or of what operations refer to.
type piece struct {
	area, path, method string
	text               json.RawMessage
	refs               []string // the components that it refers to
}

const componentsPrefix = "#/components/"

var reference = regexp.MustCompile(`"\$ref":"` + componentsPrefix + `([^"]+)"`)

// newPiece makes a piece of a part of the document.
func newPiece(part any) (piece, error) {
	text, err := json.Marshal(part)
	p := piece{text: text}
	for _, match := range reference.FindAllSubmatch(text, -1) {
		if name := string(match[1]); !slices.Contains(p.refs, name) {
			p.refs = append(p.refs, name)
		}
	}

	return p, err
}

// addOperation adds an operation.
func (d *description) addOperation(info OperationInfo, op *huma.Operation) error {
	p, err := newPiece(op)
	p.area, p.path, p.method = info.Prefix, info.Path, strings.ToLower(info.Method)
	d.operations = append(d.operations, p)

	return err
}

// addComponents adds what operations refer to.
func (d *description) addComponents(c *huma.Components) error {
	return errors.Join(
		addPieces(d, "schemas/", c.Schemas.Map()),
		addPieces(d, "responses/", c.Responses),
		addPieces(d, "headers/", c.Headers),
		addPieces(d, "examples/", c.Examples),
		addPieces(d, "securitySchemes/", c.SecuritySchemes),
	)
}

func addPieces[T any](d *description, kind string, components map[string]T) (err error) {
	for name, component := range components {
		if d.components[kind+name], err = newPiece(component); err != nil {
			return err
		}
	}

	return nil
}

// only returns the part of the description that is about an area: its operations and what they refer to.
func (d *description) only(area string) *description {
	head := *d.head
	head.Tags = slices.DeleteFunc(slices.Clone(head.Tags), func(tag *huma.Tag) bool { return tag.Name != area })
	part := &description{head: &head, components: map[string]piece{}}
	var need func(piece)
	need = func(p piece) {
		for _, name := range p.refs {
			if _, there := part.components[name]; !there {
				part.components[name] = d.components[name]
				need(d.components[name])
			}
		}
	}
	for _, op := range d.operations {
		if op.area == area {
			part.operations = append(part.operations, op)
			need(op)
		}
	}
	for name, component := range d.components {
		if strings.HasPrefix(name, "securitySchemes/") {
			part.components[name] = component
		}
	}

	return part
}

// write writes the document, sorted.
func (d *description) write(to io.Writer) error {
	slices.SortFunc(d.operations, func(x, y piece) int {
		return cmp.Or(strings.Compare(x.path, y.path), strings.Compare(x.method, y.method))
	})
	w := &jsonWriter{to: to}
	w.object(func() {
		w.field("openapi", d.head.OpenAPI)
		w.field("info", d.head.Info)
		w.field("servers", d.head.Servers)
		w.field("tags", d.head.Tags)
		w.key("paths")
		w.object(func() {
			for i, op := range d.operations {
				if i == 0 || op.path != d.operations[i-1].path {
					w.key(op.path)
					w.begin()
				}
				w.field(op.method, op.text)
				if i == len(d.operations)-1 || op.path != d.operations[i+1].path {
					w.end()
				}
			}
		})
		w.key("components")
		w.object(func() { d.writeComponents(w) })
	})

	return w.err
}

func (d *description) writeComponents(w *jsonWriter) {
	var kind string
	for _, name := range slices.Sorted(maps.Keys(d.components)) {
		of, own, _ := strings.Cut(name, "/")
		if of != kind {
			if kind != "" {
				w.end()
			}
			kind = of
			w.key(kind)
			w.begin()
		}
		w.field(own, d.components[name].text)
	}
	if kind != "" {
		w.end()
	}
}

// jsonWriter writes objects, field by field.
type jsonWriter struct {
	to     io.Writer
	inside bool // an object that has a field already
	err    error
}

func (w *jsonWriter) text(text string) {
	if w.err == nil {
		_, w.err = io.WriteString(w.to, text)
	}
}

func (w *jsonWriter) begin() {
	w.text("{")
	w.inside = false
}

func (w *jsonWriter) end() {
	w.text("}")
	w.inside = true
}

func (w *jsonWriter) object(fields func()) {
	w.begin()
	fields()
	w.end()
}

func (w *jsonWriter) value(value any) {
	text, raw := value.(json.RawMessage)
	if !raw && w.err == nil {
		text, w.err = json.Marshal(value)
	}
	if w.err == nil {
		_, w.err = w.to.Write(text)
	}
}

func (w *jsonWriter) key(name string) {
	if w.inside {
		w.text(",")
	}
	w.value(name)
	w.text(":")
	w.inside = true
}

func (w *jsonWriter) field(name string, value any) {
	w.key(name)
	w.value(value)
}

// documents are the OpenAPI documents as they are served: that of everything, which is "", and one for each area.
type documents map[string]packed

// thrifty is how much garbage there may be while the documents are made, in percent of what is used (GOGC). Making them leaves several times
// their size, once, which would else stay with the process.
const thrifty = 20

// newDocuments makes all documents at once, since describing the operations is what takes time. Only the packed text is kept: it is a tenth.
func (a *API) newDocuments() (documents, error) {
	before := debug.SetGCPercent(thrifty)
	defer func() {
		debug.SetGCPercent(before)
		debug.FreeOSMemory()
	}()
	whole, err := a.newDescription()
	if err != nil {
		return nil, err
	}
	all, packer := documents{}, newPacker()
	for _, tag := range whole.head.Tags {
		if all[tag.Name], err = packer.pack(whole.only(tag.Name).write); err != nil {
			return nil, err
		}
	}
	all[""], err = packer.pack(whole.write)

	return all, err
}

// tagOf makes an entity tag of what it is the tag of.
func tagOf(text []byte) string {
	sum := sha256.Sum256(text)

	return newTag(sum[:])
}

func newTag(sum []byte) string { return `"` + hex.EncodeToString(sum[:16]) + `"` }

package templates

import (
	"cmp"
	"context"

	"github.com/dispatchd/dispatchd/modules/documents/internal/blocks"
	"github.com/dispatchd/dispatchd/modules/documents/internal/store"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/document"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// Samples are the templates that the demo company starts with.
type Samples struct {
	rows     *resource.Resource[store.Template]
	registry *document.Registry
	clock    clock.Clock
}

// NewSamples returns Samples.
func NewSamples(rows *resource.Resource[store.Template], r *document.Registry, c clock.Clock) *Samples {
	return &Samples{rows, r, c}
}

// spanish are the headings of papers in Spanish.
func spanish() map[string]string {
	return map[string]string{
		"agreement": "Acuerdo de transporte", "rate_sheet": "Hoja de tarifas", "rate_confirmation": "Confirmación de tarifa", "bill_of_lading": "Conocimiento de embarque",
		"pod": "Comprobante de entrega", "signature": "Orden firmada", "packet": "Documentos", "dispatch_sheet": "Hoja de despacho", "invoice": "Factura", "receipt": "Recibo",
		"condition_report": "Informe de estado", "transaction_record": "Registro de la transacción",
	}
}

// Seed stores a template of each kind in Spanish, and one with an Arabic name.
func Seed(ctx context.Context, s *Samples) error {
	all, err := s.registry.Kinds(ctx)
	if err != nil {
		return err
	}
	now := s.clock.Now()
	var rows []store.Template
	for _, k := range all {
		heading := spanish()[k.Name]
		rows = append(rows, store.Template{
			Kind: k.Name, Name: cmp.Or(heading, k.Title+" (es)"), Locale: "es", Size: store.SizeOfCompany, Heading: heading, State: store.Published, PublishedAt: &now, IsDefault: true,
			Blocks: resource.JSON[[]blocks.Block]{V: blocks.Default(k.Example)},
		})
	}
	rows = append(rows, store.Template{
		Kind: "packet", Name: "مستندات النقل", Locale: "ar", Size: store.SizeOfCompany, Heading: "مستندات النقل", State: store.Published, PublishedAt: &now, IsDefault: true,
		Blocks: resource.JSON[[]blocks.Block]{V: []blocks.Block{
			{Leaf: blocks.Leaf{Type: "text", Text: "يحتوي هذا الملف على {{ packet.files }} مستندات."}},
			{Leaf: blocks.Leaf{Type: blocks.TypePart, Name: "contents"}},
			{Leaf: blocks.Leaf{Type: blocks.TypePart, Name: "beside"}},
		}},
	})
	for _, row := range rows {
		if _, err := s.rows.Create(ctx, row); err != nil {
			return err
		}
	}

	return nil
}

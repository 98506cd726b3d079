package web

import (
	"fmt"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/dispatchd/dispatchd/platform/web/schemas"
	"github.com/dispatchd/dispatchd/platform/web/sse"
	"github.com/dispatchd/dispatchd/platform/web/upload"
)

// samples are examples of bodies that no schema describes.
var samples = map[string]string{
	"text/csv": "uuid,version\n0198f2c4-6d1e-7a3b-9c55-2f4e8a1b7d90,1\n", "application/csv": "name,phone\nPat Doe,+12145550143\n",
	"application/x-ndjson": "{\"version\":1}\n", "application/jsonl": "{\"name\":\"Pat Doe\"}\n", mediaHTML: "<!DOCTYPE html><title>Load 1042</title>",
	mediaText: "name,phone\nPat Doe,+12145550143\n", "text/xml": "<?xml version=\"1.0\" encoding=\"UTF-8\"?><Response/>", "application/pdf": "%PDF-1.7 …",
}

// sampleOf returns an example of bytes of a media type.
func sampleOf(media string) string {
	if sample, known := samples[media]; known {
		return sample
	}

	return "(the bytes of a file)"
}

// documentExamples gives every body an example. Those of answers that have a schema of their own stand once in the document.
func (d *description) documentExamples(op *huma.Operation, requests, answers huma.Registry) {
	if op.RequestBody != nil {
		x := schemas.Examples{Lookup: requests.SchemaFromRef, Request: true}
		for name, media := range op.RequestBody.Content {
			exemplify(name, media, x)
		}
		if form, json := op.RequestBody.Content[mediaForm], op.RequestBody.Content[mediaJSON]; form != nil && json != nil {
			form.Example = formOf(json.Example)
		}
	}
	d.exampleAnswers(op.Responses, answers)
}

// exampleAnswers gives the bodies of answers examples.
func (d *description) exampleAnswers(responses map[string]*huma.Response, answers huma.Registry) {
	x := schemas.Examples{Lookup: answers.SchemaFromRef}
	for _, response := range responses {
		for name, media := range response.Content {
			switch {
			case media.Example != nil, len(media.Examples) > 0:
			case media.Schema != nil && media.Schema.Ref != "":
				own := strings.TrimPrefix(media.Schema.Ref, schemas.Prefix)
				if d.examples[own] == nil {
					d.examples[own] = &huma.Example{Value: x.Of(media.Schema)}
				}
				media.Examples = map[string]*huma.Example{"example": {Ref: componentsPrefix + "examples/" + own}}
			default:
				exemplify(name, media, x)
			}
		}
	}
}

func exemplify(name string, media *huma.MediaType, x schemas.Examples) {
	bytes := media.Schema == nil || media.Schema.Type == huma.TypeString && len(media.Schema.Examples) == 0
	switch {
	case media.Example != nil:
	case name == upload.FormMedia:
		media.Example = map[string]any{"file": sampleOf("")}
	case name == mediaForm:
		media.Example = map[string]any{"name": "value"}
	case bytes && name != mediaJSON && name != sse.Media:
		media.Example = sampleOf(name)
	default:
		media.Example = x.Of(media.Schema)
	}
}

// formOf is the example of a form whose fields become those of an example in JSON.
func formOf(example any) map[string]any {
	fields := map[string]any{}
	object, _ := example.(map[string]any)
	for name, value := range object {
		switch value.(type) {
		case map[string]any, []any:
		default:
			fields[name] = fmt.Sprint(value)
		}
	}

	return fields
}

package directory

import (
	"context"
	"net/http"
	"slices"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/carriers/internal/number"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/store"
	"github.com/dispatchd/dispatchd/modules/regulator/regulatorapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
)

// mostRead is how many carriers are read at once.
const mostRead = 100

// Reader reads carriers by their numbers.
type Reader struct {
	carriers *resource.Resource[store.Carrier]
}

// NewReader returns a Reader.
func NewReader(carriers *resource.Resource[store.Carrier]) *Reader { return &Reader{carriers} }

// Routes registers the operation that reads carriers.
func Routes(r *web.Router, d *Reader) {
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/carriers/read", ID: "read_carriers", Access: web.Read, Summary: "Read carriers by their numbers",
		Description: "Returns the carriers of the company that have one of the ids, USDOT numbers or dockets; those that it does not have are in `missing`.",
		Errors:      []*errs.Error{regulatorapi.ErrInvalidNumber, number.ErrOne},
	}, d.read)
}

type readCarriersInput struct {
	Body struct {
		UUIDs   []uuid.UUID `json:"uuids,omitempty" maxItems:"100"`
		USDOTs  []string    `json:"usdots,omitempty" maxItems:"100" example:"[\"9900001\"]"`
		Dockets []string    `json:"dockets,omitempty" maxItems:"100" example:"[\"MC-990001\"]"`
	}
}

type readCarriersOutput struct {
	Body struct {
		Data    []store.Carrier `json:"data" nullable:"false"`
		Missing []string        `json:"missing" nullable:"false" doc:"Ids and numbers, in their stored form, that no carrier of the company has."`
	}
}

func (d *Reader) read(ctx context.Context, in *readCarriersInput) (*readCarriersOutput, error) {
	asked := in.Body
	if n := len(asked.UUIDs) + len(asked.USDOTs) + len(asked.Dockets); n == 0 || n > mostRead {
		return nil, number.OnFields("The uuids, usdots and dockets together must be 1 to 100.", "uuids", "usdots", "dockets")
	}
	usdots, err := normal(asked.USDOTs, "usdots", number.USDOT)
	if err != nil {
		return nil, err
	}
	dockets, err := normal(asked.Dockets, "dockets", number.Docket)
	if err != nil {
		return nil, err
	}
	rows, err := d.carriers.Where(ctx, "id IN ? OR merged_into_id IS NULL AND (usdot IN ? OR docket IN ?)", asked.UUIDs, usdots, dockets)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(rows, func(a, b store.Carrier) int { return slices.Compare(a.ID[:], b.ID[:]) })
	shown := make([]*store.Carrier, len(rows))
	for i := range rows {
		shown[i] = &rows[i]
	}
	missing := missingOf(rows, asked.UUIDs, usdots, dockets) // before what the caller may not see is left out
	if err := d.carriers.Show(ctx, nil, shown...); err != nil {
		return nil, err
	}
	out := &readCarriersOutput{}
	out.Body.Data, out.Body.Missing = rows, missing

	return out, nil
}

// missingOf returns the ids and numbers, in this order, that no carrier has.
func missingOf(rows []store.Carrier, ids []uuid.UUID, usdots, dockets []string) []string {
	has := map[string]bool{}
	for _, row := range rows {
		has[row.ID.String()] = true
		for _, number := range []*string{row.USDOT, row.Docket} {
			if number != nil {
				has[*number] = true
			}
		}
	}
	missing := make([]string, len(ids))
	for i, id := range ids {
		missing[i] = id.String()
	}

	return slices.DeleteFunc(slices.Concat(missing, usdots, dockets), func(name string) bool { return has[name] })
}

// normal returns numbers in their stored form.
func normal[N interface{ String() string }](texts []string, key string, read func(field, text string) (N, error)) ([]string, error) {
	numbers := make([]string, len(texts))
	for i, text := range texts {
		one, err := read(key, text)
		if err != nil {
			return nil, err
		}
		numbers[i] = one.String()
	}

	return numbers, nil
}

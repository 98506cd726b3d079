package moduletest

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strconv"

	"github.com/dispatchd/dispatchd/platform/resource"
)

const (
	// few and many are rows that SQLite has in as many statements, of 32 and 8, and of 8 and 2.
	few, many = 10, 40
	// mostMore is how many statements more many rows may take: less than one for each, and enough for what is paged.
	mostMore = 10
)

// writesTogether proves of a resource that many rows are made, changed and deleted in bulk by hardly more statements than a
// few.
func (p player) writesTogether(ctx context.Context, c certified, d resource.Description) error {
	took := map[string]map[int]int64{}
	for _, n := range []int{few, many} {
		made, err := p.countedBulk(ctx, d, took, n, "create", func(i int) (map[string]any, error) {
			return p.bulkCreate(ctx, c, d, i, 100*n)
		})
		if err != nil {
			return err
		}
		at := func(i int, key string) string { return made.Get("data." + strconv.Itoa(i) + ".record." + key).String() }
		changed, err := p.countedBulk(ctx, d, took, n, "update", func(i int) (map[string]any, error) {
			row := Response{Body: []byte(made.Get("data." + strconv.Itoa(i) + ".record").Raw)}

			return map[string]any{"do": "update", "uuid": at(i, "uuid"), "payload": changeOf(d, row)}, nil
		})
		if err != nil {
			return err
		}
		if changed.Get("data.#(ok==false)").Exists() {
			return fmt.Errorf("bulk changes: %s", changed.Body)
		}
		if slices.Contains(d.Own, resource.Delete) {
			continue
		}
		if _, err := p.countedBulk(ctx, d, took, n, "delete", func(i int) (map[string]any, error) {
			return map[string]any{"do": "delete", "uuid": at(i, "uuid")}, nil
		}); err != nil {
			return err
		}
	}
	for what, took := range took {
		if took[many] > took[few]+mostMore {
			return fmt.Errorf("%s in bulk: %d rows take %d statements, %d take %d: can a resource.Before become a resource.BeforeAll?",
				what, few, took[few], many, took[many])
		}
	}

	return nil
}

// bulkCreate is an item that makes a row; of what it must refer to, the first makes it, and each where no two may refer to the same.
func (p player) bulkCreate(ctx context.Context, c certified, d resource.Description, i, from int) (map[string]any, error) {
	calls, err := c.creating(d, "together", from+i)
	if err != nil {
		return nil, err
	}
	unlike := slices.ContainsFunc(d.Fields, func(f resource.FieldDescription) bool { return f.Unique && f.Item != "" })
	for _, before := range calls[:len(calls)-1] {
		if i > 0 && !unlike {
			break
		}
		if err := p.create(ctx, before); err != nil {
			return nil, err
		}
	}

	return map[string]any{"do": "create", "payload": fillBody(calls[len(calls)-1].Body, func(text string) string {
		return os.Expand(text, func(name string) string { return p.saved[name] })
	})}, nil
}

// countedBulk does n items together, and keeps how many statements they took.
func (p player) countedBulk(
	ctx context.Context, d resource.Description, took map[string]map[int]int64, n int, what string, item func(i int) (map[string]any, error),
) (Response, error) {
	items := make([]any, n)
	for i := range items {
		one, err := item(i)
		if err != nil {
			return Response{}, err
		}
		items[i] = one
	}
	if took[what] == nil {
		took[what] = map[int]int64{}
	}
	var done Response
	var err error
	took[what][n] = p.app.Sent(func() {
		done, err = p.mustCall(ctx, http.MethodPost, collectionsPath+d.Item+"/bulk", map[string]any{"items": items})
	})

	return done, err
}

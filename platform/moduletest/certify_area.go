package moduletest

import (
	"context"
	"embed"
	"io/fs"

	"github.com/google/uuid"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/migrate"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// thingID is the id of the one item of the type certify.thing.
const (
	thingType = "certify.thing"
	thingID   = "0190d0c0-0000-7000-8000-0000000000ce"
)

// things know the one item that an area can refer to whose items are those of others.
type things struct{}

func (*things) describe(_ context.Context, ids []uuid.UUID) (map[uuid.UUID]item.Description, error) {
	found := map[uuid.UUID]item.Description{}
	for _, id := range ids {
		if id.String() == thingID {
			found[id] = item.Description{Title: "Thing"}
		}
	}

	return found, nil
}

// box is a row of certify_boxes: a resource for fixtures of areas that do something for the resources of others.
type box struct {
	resource.Row

	Name string `json:"name" field:"required,max=100,unique,sort,search,title"`
}

// TableName implements the naming that GORM asks for.
func (box) TableName() string { return "certify_boxes" }

//go:embed migrations/*.sql
var migrationFiles embed.FS

func tables() fs.FS {
	sub, err := fs.Sub(migrationFiles, "migrations")
	if err != nil {
		panic(err) // the folder is embedded: cannot happen
	}

	return sub
}

// certifyArea has an item and a resource for fixtures.
func certifyArea() module.Module {
	return module.New("certify", "An item and a resource for fixtures",
		migrate.Files(tables()),
		resource.Of(resource.Rules[box]{Item: "certify.box", Plural: "boxes", About: "A box.", Sort: []string{"name"}}),
		fx.Provide(func() *things { return &things{} }, fx.Private),
		item.Type(thingType, "Thing", (*things).describe, nil, nil),
	)
}

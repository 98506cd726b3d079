package packaging

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/packs"
	"github.com/dispatchd/dispatchd/platform/principal"
)

const packUsage = "want list, export MODULE_UUID…, plan NAME|FILE or import NAME|FILE"

// PackCommand is `dispatchd custom-modules pack`: it works for a company as an owner would.
func (s *Service) PackCommand(ctx context.Context, out io.Writer, args []string) error {
	flags := flag.NewFlagSet("pack", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // the error says it
	var company uuid.UUID
	flags.TextVar(&company, "company", uuid.Nil, "id of the company")
	name := flags.String("name", "", "name of an exported pack")
	if err := flags.Parse(args); err != nil {
		return err
	}
	verb, rest := flags.Arg(0), flags.Args()
	if verb == "list" {
		return listShipped(out)
	}
	switch {
	case len(rest) < 2:
		return errors.New(packUsage)
	case company == uuid.Nil:
		return errors.New("name the company: --company=ID")
	}
	ctx = principal.With(ctx, principal.ForCompany(company))
	switch verb {
	case "export":
		return s.exportCommand(ctx, out, *name, rest[1:])
	case "plan":
		return s.packOrderCommand(ctx, out, rest[1], s.PlanPack)
	case "import":
		return s.packOrderCommand(ctx, out, rest[1], s.ImportPack)
	}

	return errors.New(packUsage)
}

func listShipped(out io.Writer) error {
	all, err := packs.BuiltIn()
	for _, p := range all {
		if _, failed := fmt.Fprintf(out, "%s %d: %s\n", p.Name, p.Version, p.Description); failed != nil {
			return failed
		}
	}

	return err
}

func (s *Service) exportCommand(ctx context.Context, out io.Writer, name string, args []string) error {
	var ids []uuid.UUID
	for _, arg := range args {
		id, err := uuid.Parse(arg)
		if err != nil {
			return fmt.Errorf("module %s: %w", arg, err)
		}
		ids = append(ids, id)
	}
	p, err := s.ExportPack(ctx, packs.Pack{Name: name}, ids)
	if err != nil {
		return err
	}

	return printJSON(out, p)
}

func (s *Service) packOrderCommand(
	ctx context.Context, out io.Writer, source string, do func(context.Context, PackOrder) (packs.PackPlan, error),
) error {
	pack, err := packFrom(source, int64(s.settings.MaxPack))
	if err != nil {
		return err
	}
	plan, err := do(ctx, PackOrder{Pack: pack})
	if err != nil {
		return err
	}

	return printJSON(out, plan)
}

// packFrom reads a file, or takes a pack that comes with the service.
func packFrom(source string, most int64) (packs.Pack, error) {
	if !strings.ContainsAny(source, "./") {
		return ShippedPack(source)
	}
	file, err := os.Open(source) //nolint:gosec // named by who runs the command
	if err != nil {
		return packs.Pack{}, err
	}
	raw, err := io.ReadAll(io.LimitReader(file, most+1))
	if err = errors.Join(err, file.Close()); err != nil {
		return packs.Pack{}, err
	}
	if int64(len(raw)) > most {
		return packs.Pack{}, fmt.Errorf("%s: larger than modules.custom_modules.max_pack", source)
	}

	return ReadPack(raw, "")
}

func printJSON(out io.Writer, value any) error {
	encoder := json.NewEncoder(out)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)

	return encoder.Encode(value)
}

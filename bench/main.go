// Command bench measures dispatchd: the real binary, over HTTP, on SQLite and on PostgreSQL, beside
// the bare database doing the same work. README.md says what is compared with what.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
)

func main() {
	os.Exit(start())
}

// start returns the exit code.
func start() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := bench(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "bench:", err)

		return 1
	}

	return 0
}

// bench does what the arguments ask for; progress goes to log, the report to out.
func bench(ctx context.Context, args []string, out, log io.Writer) (err error) {
	o, err := parseOptions(args, log)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp(o.dir, "dispatchd-bench-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()

	facts, err := machineFacts(ctx, dir)
	if err != nil {
		return err
	}
	all, err := measure(ctx, o, dir, log)
	if err != nil {
		return err
	}
	var text strings.Builder
	if err := report(&text, o, facts, all); err != nil {
		return err
	}
	if o.write {
		if err := writeResults(ctx, text.String()); err != nil {
			return err
		}
	}
	_, err = io.WriteString(out, text.String())

	return err
}

// measure builds the product and tries it on each database.
func measure(ctx context.Context, o options, dir string, log io.Writer) ([]measurement, error) {
	binary, err := o.binary, error(nil)
	if binary == "" {
		binary, err = build(ctx, dir)
	} else {
		binary, err = filepath.Abs(binary)
	}
	if err != nil {
		return nil, err
	}
	var beside *peer
	if o.asksPeer() {
		if beside, err = newPeer(ctx, o, dir); err != nil {
			return nil, err
		}
	}
	var all []measurement
	for _, name := range o.databases {
		m, err := measureOn(ctx, o, name, binary, beside, dir, log)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		all = append(all, m)
	}

	return all, nil
}

func measureOn(ctx context.Context, o options, name, binary string, beside *peer, dir string, log io.Writer) (m measurement, err error) {
	dir = filepath.Join(dir, name)
	if err := os.Mkdir(dir, 0o700); err != nil {
		return measurement{}, err
	}
	var db store = &sqlite{dir: dir, depth: o.depth()}
	if name == postgresName {
		if db, err = newPostgres(ctx, o, dir); err != nil {
			return measurement{}, err
		}
	}
	defer func() { err = errors.Join(err, db.close(context.WithoutCancel(ctx))) }()
	p, err := newProduct(ctx, binary, dir)
	if err != nil {
		return measurement{}, err
	}
	t := &trial{options: o, db: db, product: p, peer: beside, log: log}

	return t.run(ctx)
}

// repository is the folder of the repository, wherever in it this program was started.
func repository(ctx context.Context) (string, error) {
	module, err := output(command(ctx, "go", "env", "GOMOD"))

	return filepath.Dir(filepath.Dir(module)), err
}

// writeResults writes the report beside this program.
func writeResults(ctx context.Context, text string) error {
	root, err := repository(ctx)
	if err != nil {
		return err
	}

	return os.WriteFile(filepath.Join(root, "bench", "results.md"), []byte(text), 0o644) //nolint:gosec // to be read by all
}

// Command vpic makes the vehicle data that dispatchd embeds from a SQLite copy of NHTSA's vPIC database.
//
//	go -C tools/vpic run . --from vpic.lite.db --to ../../modules/vehicles/internal/vpic/data.bin
//
// The same input gives the same output. docs/vehicles.md says where to get the database, ADR 0073 describes the format.
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
)

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "vpic:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("vpic", flag.ContinueOnError)
	from := flags.String("from", "", "SQLite database to read, with the tables of vPIC")
	to := flags.String("to", "", "data file to write")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *from == "" || *to == "" || flags.NArg() > 0 {
		return errors.New("usage: vpic --from vpic.lite.db --to data.bin")
	}
	source, err := read(ctx, *from)
	if err != nil {
		return fmt.Errorf("%s: %w", *from, err)
	}
	file, err := os.Create(*to)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(file)
	report, err := source.write(out)
	if err = errors.Join(err, out.Flush(), file.Close()); err != nil {
		return fmt.Errorf("%s: %w", *to, err)
	}
	fmt.Println(report)

	return nil
}

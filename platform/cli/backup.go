package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/dispatchd/dispatchd/platform/app"
	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/secret"
	"github.com/dispatchd/dispatchd/platform/telemetry"
)

// What to do where the database is a server's.
var (
	errBackUpServer = errors.New(`the database is PostgreSQL, which has its own tool: pg_dump --format=custom --file=FILE "$URL"; ` +
		"see docs/operations.md")
	errRestoreServer = errors.New("the database is PostgreSQL, which has its own tool: " +
		`pg_restore --no-owner --exit-on-error --dbname="$URL" FILE, into an empty database; see docs/operations.md`)
)

func (c *commandLine) backup() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "backup FILE",
		Short: "Copy the SQLite database to a file while the service runs",
		Args:  cobra.ExactArgs(1),
	}
	force := cmd.Flags().Bool("force", false, "overwrite an existing file")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		cfg, db, err := c.databaseFile(cmd, errBackUpServer)
		if err != nil {
			return err
		}
		if _, err := os.Stat(db.File()); err != nil {
			return fmt.Errorf("there is no database: %w", err)
		}
		err = runDuring(cmd.Context(), db.Start, db.Stop, func(ctx context.Context) error {
			return db.Backup(ctx, args[0], *force)
		})
		if err != nil {
			return addHint(err)
		}

		return printLines(cmd.OutOrStdout(), "Copied "+db.File()+" to "+args[0]+" and checked the copy.", keepKey(cfg))
	}

	return cmd
}

// databaseFile returns the configuration and the SQLite database, not started; else the given error.
func (c *commandLine) databaseFile(cmd *cobra.Command, server error) (*config.Config, *database.DB, error) {
	cfg, err := c.load()
	if err != nil {
		return nil, nil, err
	}
	if err := cfg.ResolveSecrets(); err != nil {
		return nil, nil, err
	}
	log := telemetry.NewLogger(config.Get[telemetry.Settings](cfg, "log"), cmd.ErrOrStderr())
	db, err := database.New(config.Get[database.Settings](cfg, "database"), app.DataDir(cfg), log)
	if err == nil && db.File() == "" {
		err = server
	}

	return cfg, db, err
}

// keyFile returns where the master key is kept, "" if the configuration has it.
func keyFile(cfg *config.Config) string {
	if config.Get[secret.Settings](cfg, "secret").Key != "" {
		return ""
	}

	return filepath.Join(app.DataDir(cfg), secret.FileName)
}

// keepKey reminds of what a copy of the database is worth little without.
func keepKey(cfg *config.Config) string {
	key := keyFile(cfg)
	if key == "" {
		key = "secret.key of the configuration"
	}

	return "The backup does not contain the master key. Keep a copy of it somewhere else, once: " + key
}

// addHint says how to go on where the error alone does not.
func addHint(err error) error {
	switch {
	case errors.Is(err, fs.ErrExist):
		return fmt.Errorf("%w; --force replaces it", err)
	case errors.Is(err, database.ErrInUse):
		return fmt.Errorf("%w: stop the service first", err)
	default:
		return err
	}
}

func printLines(out io.Writer, lines ...string) error {
	for _, line := range lines {
		if _, err := fmt.Fprintln(out, line); err != nil {
			return err
		}
	}

	return nil
}

package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"github.com/dispatchd/dispatchd/migrations"
	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/migrate"
	"github.com/dispatchd/dispatchd/platform/secret"
)

func (c *commandLine) restore() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "restore FILE",
		Short: "Replace the SQLite database with a backup; the service must not be running",
		Args:  cobra.ExactArgs(1),
	}
	force := cmd.Flags().Bool("force", false, "replace an existing database; the old file is kept next to it")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		cfg, db, err := c.databaseFile(cmd, errRestoreServer)
		if err != nil {
			return err
		}
		kept, err := db.Restore(cmd.Context(), args[0], *force, func(ctx context.Context, copied *database.DB) error {
			if err := c.checkTables(ctx, copied); err != nil {
				return err
			}

			return checkKey(ctx, cfg, copied)
		})
		if err != nil {
			return addHint(err)
		}
		lines := []string{"Checked " + args[0] + " and put it at " + db.File() + "."}
		if kept != "" {
			lines = append(lines, "The previous database is at "+kept+".")
		}
		if key := keyFile(cfg); key != "" && isMissing(key) {
			lines = append(lines, "Before the first start, put its master key at "+key+".")
		}

		return printLines(cmd.OutOrStdout(), lines...)
	}

	return cmd
}

// checkTables reports a file that is not a database of this service, or of a later version of it.
func (c *commandLine) checkTables(ctx context.Context, db *database.DB) error {
	sources, err := migrate.Sources(migrations.FS, c.modules)
	if err != nil {
		return err
	}
	list, err := migrate.Status(ctx, db, sources)
	if err != nil {
		return err
	}
	applied := 0
	for _, m := range list {
		if m.Name == "" {
			return fmt.Errorf("migration %05d of area %q is in the backup and not in this binary: a later version made it, use that one",
				m.Version, m.Area)
		}
		if !m.AppliedAt.IsZero() {
			applied++
		}
	}
	if applied == 0 {
		return errors.New("the file is a database, but not one of dispatchd's")
	}

	return nil
}

// checkKey reports a master key that is not that of the database, where there is a key.
func checkKey(ctx context.Context, cfg *config.Config, db *database.DB) error {
	file := keyFile(cfg)
	if file != "" && isMissing(file) {
		return nil
	}
	keys := secret.New(config.Get[secret.Settings](cfg, "secret"), file)
	if err := keys.Start(ctx); err != nil {
		return err
	}

	return keys.Recognise(ctx, db)
}

func isMissing(path string) bool {
	_, err := os.Stat(path)

	return errors.Is(err, fs.ErrNotExist)
}

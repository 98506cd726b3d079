package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/dispatchd/dispatchd/migrations"
	"github.com/dispatchd/dispatchd/platform/app"
	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/migrate"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/telemetry"
)

func (c *commandLine) migrate() *cobra.Command {
	return groupCommand("migrate", "Apply or revert database migrations", migrateUp(c), migrateDown(c), migrateStatus(c))
}

func migrateUp(c *commandLine) *cobra.Command {
	return &cobra.Command{
		Use:   "up",
		Short: "Apply every pending migration of the platform and the enabled areas",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return c.withTables(cmd, func(ctx context.Context, t tables) error {
				return app.MigrateUp(ctx, t.db, t.areas, t.log)
			})
		},
	}
}

func migrateDown(c *commandLine) *cobra.Command {
	var steps int
	var yes bool
	cmd := &cobra.Command{
		Use:   "down AREA",
		Short: "Revert the last migration of one area and delete its data; without --yes, print what would be deleted",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.withTables(cmd, func(ctx context.Context, t tables) error {
				plan, err := migrate.DownPlan(ctx, t.db, t.sources, args[0], steps)
				if err != nil {
					return err
				}
				if err := printLines(cmd.OutOrStdout(), describeTaken(plan)...); err != nil {
					return err
				}
				if !yes {
					return errors.New("nothing was changed: with --yes, the migrations are reverted and the data is dropped")
				}

				return migrate.Down(ctx, t.db, t.sources, args[0], steps)
			})
		},
	}
	cmd.Flags().IntVar(&steps, "steps", 1, "number of migrations to revert")
	cmd.Flags().BoolVar(&yes, "yes", false, "do it")

	return cmd
}

// describeTaken says line by line what taking migrations back does.
func describeTaken(plan []migrate.Taken) []string {
	var lines []string
	for _, m := range plan {
		lines = append(lines, "Reverting "+m.File+":")
		for _, statement := range m.Statements {
			lines = append(lines, "  "+statement)
		}
		for _, table := range slices.Sorted(maps.Keys(m.Rows)) {
			lines = append(lines, fmt.Sprintf("  %s has %d rows", table, m.Rows[table]))
		}
	}

	return lines
}

func migrateStatus(c *commandLine) *cobra.Command {
	cmd := &cobra.Command{Use: "status", Short: "List the migrations and when each was applied", Args: cobra.NoArgs}
	out := addOutput(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return c.withTables(cmd, func(ctx context.Context, t tables) error {
			list, err := migrate.Status(ctx, t.db, t.sources)
			if err != nil {
				return err
			}
			rows := make([][]string, 0, len(list))
			for _, m := range list {
				applied := "pending"
				if !m.AppliedAt.IsZero() {
					applied = m.AppliedAt.UTC().Format(time.RFC3339)
				}
				rows = append(rows, []string{m.Area, fmt.Sprintf("%05d", m.Version), m.Name, applied})
			}

			return out.print(cmd.OutOrStdout(), list, textTable([]string{"AREA", "VERSION", "NAME", "APPLIED"}, rows))
		})
	}

	return cmd
}

// tables is what the migrate commands work on.
type tables struct {
	db      *database.DB
	areas   []module.Module
	sources []migrate.Source
	log     logger
}

// withTables opens the database, without touching its tables, for the time of work.
func (c *commandLine) withTables(cmd *cobra.Command, work func(context.Context, tables) error) (err error) {
	cfg, err := c.load()
	if err != nil {
		return err
	}
	if err = cfg.ResolveSecrets(); err != nil {
		return err
	}
	areas, err := module.Select(c.modules, cfg.Enabled)
	if err != nil {
		return err
	}
	sources, err := migrate.Sources(migrations.FS, areas)
	if err != nil {
		return err
	}
	log := telemetry.NewLogger(config.Get[telemetry.Settings](cfg, "log"), cmd.ErrOrStderr())
	db, err := database.New(config.Get[database.Settings](cfg, "database"), app.DataDir(cfg), log)
	if err != nil {
		return err
	}

	return runDuring(cmd.Context(), db.Start, db.Stop, func(ctx context.Context) error {
		return work(ctx, tables{db: db, areas: areas, sources: sources, log: log})
	})
}

package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"
	"github.com/spf13/cobra"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/app"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/feature"
)

func companyFeatures(c *commandLine) *cobra.Command {
	var (
		on, off         []string
		cascade, dryRun bool
	)
	cmd := &cobra.Command{
		Use:   "features COMPANY",
		Short: "Show which areas a company uses, or switch areas on and off; every replica follows within seconds",
		Args:  cobra.ExactArgs(1),
	}
	cmd.Flags().StringSliceVar(&on, "on", nil, "area to switch on; may be repeated")
	cmd.Flags().StringSliceVar(&off, "off", nil, "area to switch off, keeping its data; may be repeated")
	cmd.Flags().BoolVar(&cascade, "cascade", false, "also switch off the areas that need one that goes off, and switch on those that one needs that comes on")
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "show what would change, without changing anything")
	out := addOutput(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		company, err := parseID("COMPANY", args[0])
		if err != nil {
			return err
		}
		change, err := featureChange(on, off)
		if err != nil {
			return err
		}
		change.Cascade = cascade

		var sets *feature.Sets

		return c.withService(cmd, func(ctx context.Context, service *app.App) error {
			if _, err := service.Identity.Company(ctx, company); err != nil {
				return err
			}
			if len(change.Areas) == 0 {
				return showFeatures(ctx, cmd, out, sets, company)
			}

			return changeFeatures(ctx, cmd, out, sets, company, change, dryRun)
		}, fx.Populate(&sets))
	}

	return cmd
}

func featureChange(on, off []string) (feature.Change, error) {
	change := feature.Change{Areas: map[string]bool{}}
	for _, area := range on {
		change.Areas[area] = true
	}
	for _, area := range off {
		if change.Areas[area] {
			return change, fmt.Errorf("area %q is both in --on and in --off", area)
		}
		change.Areas[area] = false
	}

	return change, nil
}

func showFeatures(ctx context.Context, cmd *cobra.Command, out *output, sets *feature.Sets, company uuid.UUID) error {
	uses, err := sets.Of(ctx, company)
	if err != nil {
		return err
	}
	rows := make([][]string, 0, len(uses))
	for _, use := range uses {
		state := "off"
		switch {
		case use.Essential:
			state = "essential"
		case use.On:
			state = "on"
		}
		rows = append(rows, []string{use.Area, state, joinNames(use.Needs), formatTime(use.ChangedAt), use.Title})
	}

	return out.print(cmd.OutOrStdout(), uses, textTable([]string{"AREA", "STATE", "NEEDS", "DECIDED", "TITLE"}, rows))
}

// changeFeatures makes a change, or shows what it would do. A dry run of what would be refused fails
// as well, after it has shown that.
func changeFeatures(
	ctx context.Context, cmd *cobra.Command, out *output, sets *feature.Sets, company uuid.UUID, change feature.Change, dryRun bool,
) error {
	plan, err := sets.Plan(ctx, company, change)
	if err != nil {
		return explainError(err)
	}
	if !dryRun && !plan.Refused {
		if _, err = sets.Apply(ctx, company, change); err != nil {
			return err
		}
	}
	err = out.print(cmd.OutOrStdout(), plan, textTable(
		[]string{"AREA", "BECOMES", "OPERATIONS", "HOOKS", "SUBSCRIPTIONS", "SCHEDULES", "JOBS", "EVENTS", "NEEDED BY", "HEARD BY"}, planRows(plan)))
	if err == nil {
		err = plan.Refusal()
	}

	return err
}

func planRows(plan feature.Plan) [][]string {
	rows := make([][]string, 0, len(plan.On)+len(plan.Silent))
	for _, area := range plan.On {
		rows = append(rows, []string{area, "on"})
	}
	for _, s := range plan.Silent {
		rows = append(rows, []string{
			s.Area, "off", strconv.Itoa(s.Operations), strconv.Itoa(s.Hooks), strconv.Itoa(s.Subscriptions), strconv.Itoa(s.Schedules),
			strconv.FormatInt(s.WaitingJobs, 10), strconv.FormatInt(s.WaitingEvents, 10), joinNames(plan.NeededBy[s.Area]), joinNames(s.HeardBy),
		})
	}

	return rows
}

// explainError adds to an error what is wrong with which value.
func explainError(err error) error {
	invalid, ok := errors.AsType[*errs.Error](err)
	if !ok || len(invalid.Fields) == 0 {
		return err
	}
	lines := make([]string, 0, len(invalid.Fields))
	for _, field := range slices.Sorted(maps.Keys(invalid.Fields)) {
		lines = append(lines, field+": "+strings.Join(invalid.Fields[field], " "))
	}

	return errors.New(strings.Join(lines, "\n"))
}

func joinNames(list []string) string { return cmp.Or(strings.Join(list, ","), "-") }

package moduletest

import (
	"context"

	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/hook"
	"github.com/dispatchd/dispatchd/platform/limit"
	"github.com/dispatchd/dispatchd/platform/module"
)

// planned refuses what is beyond limits, as the plan of a company does.
type planned map[string]int64

func (p planned) checking(_ context.Context, c *limit.Checking) error {
	if most, limited := p[c.Limit]; limited && c.Used+c.Adding > most {
		return limit.ErrReached.WithDetail("limit", c.Limit).WithDetail("used", c.Used)
	}

	return nil
}

// Limiting is an area that limits all companies, as a plan of the area billing does.
func Limiting(limits map[string]int64) module.Module {
	return module.New("plans", "Plans", fx.Supply(fx.Private, planned(limits)), hook.On(planned.checking))
}

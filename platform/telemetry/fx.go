package telemetry

import (
	"log/slog"
	"time"

	"go.uber.org/fx/fxevent"
)

// FxLogger returns what Fx logs to: errors as errors, starting and stopping at debug, and nothing
// of how the graph is built. An error that Fx hands to its caller as well, such as that of a failed
// start, is the caller's to log.
func FxLogger(log *slog.Logger) fxevent.Logger { return &fxLogger{log: log} }

type fxLogger struct{ log *slog.Logger }

// LogEvent implements fxevent.Logger.
func (l *fxLogger) LogEvent(event fxevent.Event) {
	switch e := event.(type) {
	case *fxevent.OnStartExecuting:
		l.log.Debug("hook runs", "method", "OnStart", "hook", e.FunctionName)
	case *fxevent.OnStartExecuted:
		l.hookRan("OnStart", e.FunctionName, e.Runtime, e.Err)
	case *fxevent.OnStopExecuting:
		l.log.Debug("hook runs", "method", "OnStop", "hook", e.FunctionName)
	case *fxevent.OnStopExecuted:
		l.hookRan("OnStop", e.FunctionName, e.Runtime, e.Err)
	case *fxevent.Started:
		l.reached("started", e.Err)
	case *fxevent.Stopping:
		l.reached("stopping", nil)
	case *fxevent.Stopped:
		l.reached("stopped", e.Err)
	case *fxevent.RollingBack:
		l.reached("stopping after a failed start", e.StartErr)
	case *fxevent.RolledBack:
		l.reached("stopped after a failed start", e.Err)
	default:
		l.built(event)
	}
}

// built logs what goes wrong while the graph is built. A constructor that fails (fxevent.Run) is
// logged with the function that asked for it.
func (l *fxLogger) built(event fxevent.Event) {
	switch e := event.(type) {
	case *fxevent.Provided:
		l.refused("provide", e.ConstructorName, e.Err)
	case *fxevent.Supplied:
		l.refused("supply", e.TypeName, e.Err)
	case *fxevent.Replaced:
		l.refused("replace", e.ModuleName, e.Err)
	case *fxevent.Decorated:
		l.refused("decorate", e.DecoratorName, e.Err)
	case *fxevent.Invoked:
		l.refused("invoke", e.FunctionName, e.Err)
	case *fxevent.LoggerInitialized:
		l.refused("logger", e.ConstructorName, e.Err)
	}
}

// hookRan logs the end of a hook.
func (l *fxLogger) hookRan(method, hook string, took time.Duration, err error) {
	if err != nil {
		l.log.Error("hook failed", "method", method, "hook", hook, "error", err.Error())

		return
	}
	l.log.Debug("hook ran", "method", method, "hook", hook, "took", took.String())
}

// reached logs a step of the service as a whole. Its error was logged where it happened.
func (l *fxLogger) reached(state string, err error) {
	if err != nil {
		l.log.Debug("service", "state", state, "error", err.Error())

		return
	}
	l.log.Debug("service", "state", state)
}

func (l *fxLogger) refused(step, name string, err error) {
	if err != nil {
		l.log.Error("building the service failed", "step", step, "name", name, "error", err.Error())
	}
}

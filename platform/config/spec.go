package config

import (
	"reflect"

	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/module"
)

// Spec is a section of the platform: its key and the defaults of its settings.
type Spec struct {
	key      string
	defaults reflect.Value
}

// For describes the section at key ("web", or "" for the keys at the top) with the settings T.
func For[T any](key string, defaults T) Spec {
	return Spec{key: key, defaults: reflect.ValueOf(&defaults).Elem()}
}

// areaSection is what Section leaves in the manifest of an area.
type areaSection struct{ defaults reflect.Value }

// Section is the manifest line of an area that has settings: the keys of T below modules.<area>.
// The area's constructors get the decoded T; other areas do not see it.
func Section[T any](defaults T) fx.Option {
	section := areaSection{defaults: reflect.ValueOf(&defaults).Elem()}

	return module.Contribute("config", reflect.TypeFor[T]().Name(), section, func(at module.At) fx.Option {
		return fx.Provide(func(c *Config) T { return Get[T](c, areaKey(at.Prefix)) }, fx.Private)
	})
}

// areaKey is the key of an area's section.
func areaKey(area string) string { return modulesKey + "." + area }

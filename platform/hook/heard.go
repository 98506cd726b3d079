package hook

import "reflect"

// HasListeners reports whether anybody listens to the hook of a payload, so that one that is dear to make need not
// be made for nobody.
func HasListeners[P any](bus *Bus) bool { return len(bus.handlers[reflect.TypeFor[P]()]) > 0 }

package app

import "runtime/debug"

// Version returns the version of the binary: the tag or pseudo-version that Go stamped into it,
// "devel" if there is none.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" || info.Main.Version == "(devel)" {
		return "devel"
	}

	return info.Main.Version
}

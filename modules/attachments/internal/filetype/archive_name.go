package filetype

import (
	"fmt"
	"path"
	"regexp"
	"strings"
)

// NameList are the names in an archive, in lower case, since not all file systems tell cases apart.
type NameList map[string]bool

// reserved are names that Windows takes for devices, whatever their ending.
var reserved = regexp.MustCompile(`(?i)^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)`)

// Unique returns a name for a file that no other one in the archive has, and under which every system can
// unpack it.
func (n NameList) Unique(name string) string {
	name = strings.Map(func(r rune) rune {
		if strings.ContainsRune(`<>:"|?*\/`, r) {
			return '_'
		}

		return r
	}, CleanName(name))
	if reserved.MatchString(name) {
		name = "_" + name
	}
	ending := path.Ext(name)
	stem, free := strings.TrimSuffix(name, ending), name
	for i := 2; n[strings.ToLower(free)]; i++ {
		free = fmt.Sprintf("%s (%d)%s", stem, i, ending)
	}
	n[strings.ToLower(free)] = true

	return free
}

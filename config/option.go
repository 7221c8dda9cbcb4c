package config

import (
	"slices"
	"strings"
	"unicode"

	"github.com/tuttinode/tutti/core/fault"
)

// option is one row of the table.
type option struct {
	// name is the flag and file key; aliases are other spellings of the same
	// setting.
	name    string
	aliases []string
	// former are spellings that still work and draw a notice naming the new one.
	former []string
	// field is the setting's name in the start-up table, "" for the name with a
	// capital letter.
	field string
	group group
	// mark says what operators of the existing node may expect: see marks.
	mark string
	// preset is the default, "" for the zero value.
	preset string
	// unset describes the default where it is a rule.
	unset string
	help  string
	// roles are those in which the option has an effect, 0 for any.
	roles role
	// feature is what the option belongs to, where it is not in every release.
	feature feature
	// meanwhile says what happens instead while the feature is missing.
	meanwhile string
	// environ is a further environment variable, one of the existing node's.
	environ string
	// obsolete options are read and do nothing; the text says what to use.
	obsolete string
	// onchain options have no effect off-chain.
	onchain bool
	// flagOnly options are taken from the command line alone.
	flagOnly bool
	// live options may change while the node runs; see Live.
	live bool
	to   func(*Config) value
}

// table returns the option table in the order of the documents. Its rows are
// built again for every caller.
func table() []option {
	return markLive(slices.Concat(
		inGroup(groupProcess, processRows()),
		inGroup(groupRoles, roleRows()),
		inGroup(groupAddresses, addressRows()),
		inGroup(groupTranscoding, transcodingRows()),
		inGroup(groupGateway, gatewayRows()),
		inGroup(groupAI, aiRows()),
		inGroup(groupChain, chainRows()),
		inGroup(groupMonitoring, monitoringRows()),
		inGroup(groupTutti, tuttiRows()),
	))
}

func inGroup(g group, rows []option) []option {
	for i := range rows {
		rows[i].group = g
	}
	return rows
}

// spellings returns every name the option goes by, the current one first.
func (o option) spellings() []string {
	return slices.Concat([]string{o.name}, o.aliases, o.former)
}

// fieldName returns the setting's name in the start-up table.
func (o option) fieldName() string {
	if o.field != "" {
		return o.field
	}
	return strings.ToUpper(o.name[:1]) + o.name[1:]
}

// env returns the environment variables of one spelling, the strongest first.
// Only options of the existing node have an LP_ name.
func (o option) env(spelling string) []string {
	if o.flagOnly {
		return nil
	}
	bare := strings.ToUpper(fault.BareName(spelling))
	names := []string{"TUTTI_" + words(spelling)}
	if names[0] != "TUTTI_"+bare {
		names = append(names, "TUTTI_"+bare)
	}
	if o.group != groupTutti {
		names = append(names, "LP_"+bare)
	}
	if o.environ != "" && spelling == o.name {
		names = append(names, o.environ)
	}
	return names
}

// defaultText describes the default in help and documents.
func (o option) defaultText() string {
	switch {
	case o.unset != "":
		return o.unset
	case o.preset != "":
		return o.preset
	}
	return o.to(new(Config)).String()
}

// words writes a flag's name in capitals with underscores: "maxSessions" is
// MAX_SESSIONS, "aiRunnerContainersPerGPU" AI_RUNNER_CONTAINERS_PER_GPU.
func words(name string) string {
	var b strings.Builder
	rs := []rune(name)
	for i, r := range rs {
		if i > 0 && unicode.IsUpper(r) {
			afterLower := unicode.IsLower(rs[i-1])
			beforeLower := i+1 < len(rs) && unicode.IsLower(rs[i+1]) && rs[i-1] != '_'
			if afterLower || beforeLower {
				b.WriteByte('_')
			}
		}
		b.WriteRune(unicode.ToUpper(r))
	}
	return b.String()
}

// group is a heading of the documents.
type group string

// The groups, in the order of the documents.
const (
	groupProcess     group = "Process and logs"
	groupRoles       group = "Roles"
	groupAddresses   group = "Addresses and discovery"
	groupTranscoding group = "Transcoding"
	groupGateway     group = "Gateway"
	groupAI          group = "AI"
	groupChain       group = "Chain and payments"
	groupMonitoring  group = "Monitoring and storage"
	groupTutti       group = "Tutti only"
)

func groups() []group {
	return []group{
		groupProcess, groupRoles, groupAddresses, groupTranscoding, groupGateway,
		groupAI, groupChain, groupMonitoring, groupTutti,
	}
}

// OptionNames returns the names of all options that do something, for completions.
func OptionNames() (names []string) {
	for _, o := range table() {
		if o.obsolete == "" && o.feature.present() {
			names = append(names, o.name)
		}
	}
	return names
}

package fault

// Configuration. Every problem found while reading flags, environment and
// configuration file carries one of these; the program exits with status 2.
const (
	// NoRole.
	NoRole Code = "NoRole"

	// ContradictoryRoles.
	ContradictoryRoles Code = "ContradictoryRoles"

	// RoleIncomplete.
	RoleIncomplete Code = "RoleIncomplete"

	// FeatureMissing.
	FeatureMissing Code = "FeatureMissing"

	// UnknownOption.
	UnknownOption Code = "UnknownOption"

	// UnknownConfigKey.
	UnknownConfigKey Code = "UnknownConfigKey"

	// BadOption.
	BadOption Code = "BadOption"

	// MissingOption.
	MissingOption Code = "MissingOption"

	// OptionConflict.
	OptionConflict Code = "OptionConflict"

	// OptionRetired.
	OptionRetired Code = "OptionRetired"

	// OptionUnsupported.
	OptionUnsupported Code = "OptionUnsupported"

	// UnexpectedArgument.
	UnexpectedArgument Code = "UnexpectedArgument"

	// ConfigUnreadable.
	ConfigUnreadable Code = "ConfigUnreadable"
)

// configRows are the conditions of command line, environment and configuration file. Read-only.
var configRows = []Row{
	{
		Code: NoRole, Class: Config,
		Cause: "No role was asked for, so the node has nothing to do.",
		Remedy: "Give at least one role, for example `-orchestrator -transcoder` or `-gateway`; `tutti -help` " +
			"lists them.",
	},
	{
		Code: ContradictoryRoles, Class: Config,
		Cause:  "Roles were given that cannot share one process.",
		Remedy: "Start one process per role, each with its own data directory.",
	},
	{
		Code: RoleIncomplete, Class: Config,
		Cause: "A role was asked for without what it cannot work without: an orchestrator needs devices of its " +
			"own or a secret for workers elsewhere, and a worker needs an orchestrator.",
		Remedy: "On one machine give both, `-orchestrator -transcoder`. On several, `-orchestrator -orchSecret " +
			"S` here and `-transcoder -orchAddr host:8935 -orchSecret S` there.",
	},
	{
		Code: FeatureMissing, Class: Config,
		Cause: "An option, or an entry of the models file, asks for something that this release does not do. " +
			"The node does not pretend: with such an option it stops, such an entry it leaves out.",
		Remedy: "Leave it out, or use a release that has the feature.",
	},
	{
		Code: UnknownOption, Class: Config,
		Cause:  "The command line holds an option that does not exist, often a typing mistake.",
		Remedy: "Use the name that the message suggests; `tutti -help` lists them all.",
	},
	{
		Code: UnknownConfigKey, Class: Config,
		Cause: "The configuration file holds a key that is no option's name.",
		Remedy: "Correct or delete the line that the message names; keys are spelled like the options, without " +
			"dashes.",
	},
	{
		Code: BadOption, Class: Config,
		Cause: "An option's value cannot be read or is out of range.",
		Remedy: "Change the option at the place that the message names (flag, environment variable or line of " +
			"the file) to the form it shows.",
	},
	{
		Code: MissingOption, Class: Config,
		Cause:  "An option that the asked role needs was not given.",
		Remedy: "Add the option that the message names.",
	},
	{
		Code: OptionConflict, Class: Config,
		Cause:  "Two options, or two spellings of one option, ask for different things.",
		Remedy: "Keep one of the two that the message names.",
	},
	{
		Code: OptionRetired, Class: Config,
		Cause: "The option existed in early releases of the network's node and is rejected by the existing node " +
			"too.",
		Remedy: "Use what the message says replaces it.",
	},
	{
		Code: OptionUnsupported, Class: Config,
		Cause:  "The option is known and deliberately not supported.",
		Remedy: "Leave it out; the message names the alternative.",
	},
	{
		Code: UnexpectedArgument, Class: Config,
		Symptom: "`-reward false` on the command line",
		Cause: "The command line holds a word that belongs to no option, most often the value of a switch " +
			"written as a word of its own.",
		Remedy: "Write switches with `=`, as in `-reward=false`; quote values that hold spaces.",
	},
	{
		Code: ConfigUnreadable, Class: Config,
		Cause:  "The configuration file, or a file that an option points to, cannot be read or is not text.",
		Remedy: "Correct the path, or give the node's user the right to read it.",
	},
}

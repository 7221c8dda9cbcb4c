package fault

// Configuration. Every problem found while reading flags, environment and
// configuration file carries one of these; the program exits with status 2.
const (
	// NoRole.
	// Cause: no role was asked for, so the node has nothing to do.
	// Remedy: give at least one role, for example `-orchestrator -transcoder` or
	// `-gateway`; `tutti -help` lists them.
	NoRole Code = "NoRole"

	// ContradictoryRoles.
	// Cause: roles were given that cannot share one process.
	// Remedy: start one process per role, each with its own data directory.
	ContradictoryRoles Code = "ContradictoryRoles"

	// RoleIncomplete.
	// Cause: a role was asked for without the role it cannot work without in
	// this release: an orchestrator needs a transcoder in the same process, and
	// the other way round.
	// Remedy: give both, `-orchestrator -transcoder`.
	RoleIncomplete Code = "RoleIncomplete"

	// FeatureMissing.
	// Cause: an option asks for something that this release does not do yet;
	// the node stops rather than pretend.
	// Remedy: leave the option out, or use a release that has the feature.
	FeatureMissing Code = "FeatureMissing"

	// UnknownOption.
	// Cause: the command line holds an option that does not exist, often a
	// typing mistake.
	// Remedy: use the name the message suggests; `tutti -help` lists them all.
	UnknownOption Code = "UnknownOption"

	// UnknownConfigKey.
	// Cause: the configuration file holds a key that is no option's name.
	// Remedy: correct or delete the line the message names; keys are spelled
	// like the options, without dashes.
	UnknownConfigKey Code = "UnknownConfigKey"

	// BadOption.
	// Cause: an option's value cannot be read or is out of range.
	// Remedy: change the option at the place the message names (flag,
	// environment variable or line of the file) to the form it shows.
	BadOption Code = "BadOption"

	// MissingOption.
	// Cause: an option that the asked role needs was not given.
	// Remedy: add the option the message names.
	MissingOption Code = "MissingOption"

	// OptionConflict.
	// Cause: two options, or two spellings of one option, ask for different
	// things.
	// Remedy: keep one of the two that the message names.
	OptionConflict Code = "OptionConflict"

	// OptionRetired.
	// Cause: the option existed in early releases of the network's node and is
	// rejected by the existing node too.
	// Remedy: use what the message says replaces it.
	OptionRetired Code = "OptionRetired"

	// OptionUnsupported.
	// Cause: the option is known and deliberately not supported.
	// Remedy: leave it out; the message names the alternative.
	OptionUnsupported Code = "OptionUnsupported"

	// UnexpectedArgument.
	// Cause: the command line holds a word that belongs to no option, most
	// often the value of a switch written as a word of its own
	// (`-reward false`).
	// Remedy: write switches with `=`, `-reward=false`; quote values that hold
	// spaces.
	UnexpectedArgument Code = "UnexpectedArgument"

	// ConfigUnreadable.
	// Cause: the configuration file, or a file an option points to, cannot be
	// read or is not text.
	// Remedy: correct the path, or give the node's user the right to read it.
	ConfigUnreadable Code = "ConfigUnreadable"
)

package fault

// Codes of the models file.
const (
	// ModelsFileUnreadable: the file that -aiModels names cannot be read.
	ModelsFileUnreadable Code = "ModelsFileUnreadable"
	// ModelsFileInvalid: what -aiModels gives is not a list of models at all.
	ModelsFileInvalid Code = "ModelsFileInvalid"
	// ModelFieldMissing: an entry lacks one of the fields it cannot do without.
	ModelFieldMissing Code = "ModelFieldMissing"
	// ModelFieldInvalid: a field's value is of the wrong type or means nothing.
	ModelFieldInvalid Code = "ModelFieldInvalid"
	// ModelPipelineUnknown: the network has no AI pipeline of that name.
	ModelPipelineUnknown Code = "ModelPipelineUnknown"
	// ModelUnverified: the model is in no list of verified ones.
	ModelUnverified Code = "ModelUnverified"
	// ModelWarmAndCold: one model is configured both warm and cold.
	ModelWarmAndCold Code = "ModelWarmAndCold"
	// ModelPriceInvalid: a price is negative, a fraction of a wei or not a price.
	ModelPriceInvalid Code = "ModelPriceInvalid"
	// ModelFlagsConflict: optimizations that do not go together, or not with the model.
	ModelFlagsConflict Code = "ModelFlagsConflict"
	// RunnerSettingInvalid: a setting of the text generation runner breaks its rule.
	RunnerSettingInvalid Code = "RunnerSettingInvalid"
	// ModelDevices: an entry asks for more or other GPUs than the node was given.
	ModelDevices Code = "ModelDevices"
	// WarmModelsTooLarge: the warm models do not fit into the GPUs' memory.
	WarmModelsTooLarge Code = "WarmModelsTooLarge"
	// VerifiedListInvalid: the file that -aiVerifiedModels names cannot be used.
	VerifiedListInvalid Code = "VerifiedListInvalid"
	// NoModels: no entry is left, so no AI is advertised.
	NoModels Code = "NoModels"
)

// modelsRows are the conditions of the models file. Read-only.
var modelsRows = []Row{
	{
		Code: NoModels, Class: Config,
		Symptom: "the AI runner runs but no AI jobs arrive",
		Cause: "`-aiModels` is not given or has no valid entry: the file is missing or broken, or each entry " +
			"was refused by a message of its own. The node runs on and advertises no AI.",
		Remedy: "Give `-aiModels`, or correct the file by the messages before this one (`tutti config check` " +
			"shows them without starting the node), then run `tutti_cli reload`; an option on the command " +
			"line needs a restart.",
	},
	{
		Code: ModelsFileUnreadable, Class: Config,
		Cause: "The file that `-aiModels` names does not exist, may not be read by this user, or is larger than " +
			"4 MiB.",
		Remedy: "Correct the path or the file's permissions, then run `tutti_cli reload`.",
	},
	{
		Code: ModelsFileInvalid, Class: Config,
		Symptom: "`Error parsing -aiModels`",
		Cause: "What `-aiModels` names is not a JSON array of objects, or the inline form is not " +
			"`pipeline:model_id:warm`; nothing of it can be used.",
		Remedy: "Correct the place that the message names (file, line and column). docs/aiModels.schema.json " +
			"lets an editor check the file while it is written.",
	},
	{
		Code: ModelFieldMissing, Class: Config,
		Symptom: "`'pricePerUnit' must be set for model`",
		Cause: "An entry lacks a field of the minimum: `pipeline`, `model_id`, `price_per_unit` or " +
			"`pixels_per_unit`. Off-chain the two price fields may be left out; on-chain only if " +
			"`-pricePerUnit` gives a price.",
		Remedy: "Add the field to the entry that the message names, or set `-pricePerUnit`.",
	},
	{
		Code: ModelFieldInvalid, Class: Config,
		Cause: "A field of an entry has the wrong type or a value that means nothing.",
		Remedy: "Change the field at the line that the message names to the form it shows; docs/ai-models.md " +
			"lists all fields.",
	},
	{
		Code: ModelPipelineUnknown, Class: Config,
		Symptom: "`Pipeline is not valid capability`",
		Cause:   "An entry names a pipeline that the network does not have.",
		Remedy:  "Use a name from docs/ai-models.md, in lower case with hyphens, such as `text-to-image` or `llm`.",
	},
	{
		Code: ModelUnverified, Class: Config,
		Symptom: "jobs are rejected for a pipeline or model mismatch",
		Cause: "An entry's `model_id` is in no list of verified models of its pipeline. Gateways compare model " +
			"IDs byte for byte, so a mistyped one never gets a job.",
		Remedy: "Use the exact ID, add it to a file of your own with `-aiVerifiedModels`, or take any ID with " +
			"`-aiAllowUnverified`.",
	},
	{
		Code: ModelWarmAndCold, Class: Config,
		Cause:  "The same model of the same pipeline is listed both with `warm` true and with `warm` false.",
		Remedy: "Delete one of the two entries, or give both the same `warm`.",
	},
	{
		Code: ModelPriceInvalid, Class: Config,
		Symptom: "few or no jobs and no errors, when a price in whole currency units was taken for wei",
		Cause: "A price is negative, not a number, or a fraction of a wei; most often an amount of a currency " +
			"whose name was left out.",
		Remedy: "Write whole wei, or name the currency: `\"price_per_unit\": 0.18, \"currency\": \"USD\"`.",
	},
	{
		Code: ModelFlagsConflict, Class: Config,
		Cause: "SFAST and DEEPCACHE cannot be combined, and DEEPCACHE spoils the images of Lightning and " +
			"Turbo models.",
		Remedy: "Keep one of the two; with a Lightning or Turbo model use SFAST or none.",
	},
	{
		Code: RunnerSettingInvalid, Class: Config,
		Symptom: "the text generation container exits right after its start",
		Cause: "A setting in `optimization_flags` breaks a rule of the text generation runner, which would end " +
			"at its start.",
		Remedy: "Change the setting as the message says: tensor parallel must divide the model's attention " +
			"heads, pipeline parallel not exceed its layers, MAX_NUM_BATCHED_TOKENS be at least " +
			"MAX_MODEL_LEN, GPU_MEMORY_UTILIZATION be above 0 and at most 1.",
	},
	{
		Code: ModelDevices, Class: Config,
		Cause: "An entry needs more GPUs than the node was given, or names one that it does not have.",
		Remedy: "Give the node more devices with `-gpu`, or correct `gpus`, TENSOR_PARALLEL_SIZE or " +
			"PIPELINE_PARALLEL_SIZE in the entry.",
	},
	{
		Code: WarmModelsTooLarge, Class: Config,
		Symptom: "jobs fail with out-of-memory; runner containers exit at start",
		Cause: "The warm models do not fit into the devices all together: they need more GPU memory, or more " +
			"containers than `-aiRunnerContainersPerGPU` allows on each.",
		Remedy: "Set `warm` to false for some models, use smaller or quantized ones, add devices, raise " +
			"`-aiRunnerContainersPerGPU`, or correct the need with `vram_gb` if it is known to be less.",
	},
	{
		Code: VerifiedListInvalid, Class: Config,
		Cause: "The file that `-aiVerifiedModels` names cannot be read, or is neither a JSON object of lists by " +
			"pipeline nor lines of pipeline and model ID. The shipped list still counts.",
		Remedy: "Correct the file at the line that the message names.",
	},
}

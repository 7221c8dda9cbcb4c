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
	// ModelWarmAndCold: one model is asked for both warm and cold.
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

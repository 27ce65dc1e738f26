package v1alpha1

// ReasonCode is why a comparison or a sweep is not decided, or what limits its numbers. The names of
// its values stand behind it; internal/show/readout has the sentence of each.
type ReasonCode string

// Why a comparison is not decided.
const (
	// CodeFamilyTooLarge: {comparisons, needed, blocks}: the planned blocks are fewer than so many comparisons need.
	CodeFamilyTooLarge ReasonCode = "FamilyTooLarge"
	// CodeInSequence: the trials ran in sequence, so that a drift over time looks like a difference.
	CodeInSequence ReasonCode = "InSequence"
	// CodeNoPair: no block has a counted value on both sides.
	CodeNoPair ReasonCode = "NoPair"
	// CodeNotMeasured: no counted trial has this measurement on both sides, in one unit.
	CodeNotMeasured ReasonCode = "NotMeasured"
	// CodeNotInBothRuns: {run}, which has it with other labels or in another unit; without: no counted trial has this measurement in both runs, with the same labels and unit.
	CodeNotInBothRuns ReasonCode = "NotInBothRuns"
	// CodeNotComparable: {low, high, most}: the values are too far apart for a ratio.
	CodeNotComparable ReasonCode = "NotComparable"
	// CodeNotPositive: {value}: a value is zero or negative, and has no ratio; {both}: all values of both sides are zero.
	CodeNotPositive ReasonCode = "NotPositive"
	// CodeNoStatistic: {message}: the test refused the values.
	CodeNoStatistic ReasonCode = "NoStatistic"
	// CodeOneObservation: the value is the largest since the server began, so that all blocks are one observation.
	CodeOneObservation ReasonCode = "OneObservation"
	// CodeTooFewBlocks: {blocks, needed}: so many blocks count on both sides; with several comparisons also {comparisons, family}: the
	// blocks that these need together.
	CodeTooFewBlocks ReasonCode = "TooFewBlocks"
	// CodeFewerThanFamily: {blocks, comparisons, needed}: the blocks that count are fewer than so many comparisons need together.
	CodeFewerThanFamily ReasonCode = "FewerThanFamily"
	// CodeNotAlike: {unmet}: the sides differ in what analysis.requireLike names, or it is unknown.
	CodeNotAlike ReasonCode = "NotAlike"
	// CodeNotDeclared: the comparison was not declared before the data.
	CodeNotDeclared ReasonCode = "NotDeclared"
	// CodeDiffersFromItself: the baseline differs from itself in a control.
	CodeDiffersFromItself ReasonCode = "DiffersFromItself"
	// CodeNoInterval: {blocks, errorRate}: so many blocks have no interval at this error rate.
	CodeNoInterval ReasonCode = "NoInterval"
	// CodeCoarserThanEffect: {minimumEffect}: the interval of a control is wider than the minimum effect.
	CodeCoarserThanEffect ReasonCode = "CoarserThanEffect"
	// CodeOneRun: one run says nothing of the difference between runs.
	CodeOneRun ReasonCode = "OneRun"
	// CodeEqualRuns: {runs}: the runs have one ratio to the last digit, so that their spread is unknown.
	CodeEqualRuns ReasonCode = "EqualRuns"
	// CodeSpreadOfRuns: {runs, spread}: the ratios of so many runs have this standard deviation.
	CodeSpreadOfRuns ReasonCode = "SpreadOfRuns"
	// CodeSpreadOfValues: {spread}: the values of a run have this standard deviation.
	CodeSpreadOfValues ReasonCode = "SpreadOfValues"
)

// What limits the numbers of a comparison.
const (
	// CodeMostDisturbed: {trials, of, by}: so many trials of both sides were disturbed, by these checks, as more than half of the blocks
	// were. They count, and nothing is decided by them.
	CodeMostDisturbed ReasonCode = "MostDisturbed"
	// CodeOneStart: each server was started once, so that another start may have another level.
	CodeOneStart ReasonCode = "OneStart"
	// CodeOneOrder: every block measured the cells in one order, so that a drift within a block looks like a difference.
	CodeOneOrder ReasonCode = "OneOrder"
	// CodeClientLimit: {trials, of}: in so many trials of both sides a client was at its own CPU limit.
	CodeClientLimit ReasonCode = "ClientLimit"
	// CodeServerLimit: {trials, of}: in so many trials of both sides, which are most, the server used up its own CPU limit, so that the quota has a part in the numbers.
	CodeServerLimit ReasonCode = "ServerLimit"
	// CodeOneCPU: {trials, of}: in so many trials of both sides, or of the sweep, server and tool took turns on one CPU.
	CodeOneCPU ReasonCode = "OneCPU"
	// CodeSaturated: {trials, of}: in so many trials of both sides the offered rate was not achieved.
	CodeSaturated ReasonCode = "Saturated"
	// CodeNotSteady: {trials, of}: in so many trials of both sides the throughput changed within the window.
	CodeNotSteady ReasonCode = "NotSteady"
	// CodeWindowTooShort: {trials, of}: in so many trials of both sides the window is too short to know whether the throughput changed.
	CodeWindowTooShort ReasonCode = "WindowTooShort"
	// CodeRateOffered: a rate was offered, so that the value is not the most that a server can do.
	CodeRateOffered ReasonCode = "RateOffered"
	// CodeSearchStep: {step}: a search finds rates to within this share, which the interval includes.
	CodeSearchStep ReasonCode = "SearchStep"
	// CodeOneRunEach: each side is one run, so that differences between runs are not in the interval.
	CodeOneRunEach ReasonCode = "OneRunEach"
	// CodeControlUnchecked: {blocks, needed}: so few blocks of a control cannot show that the baseline differs from itself.
	CodeControlUnchecked ReasonCode = "ControlUnchecked"
	// CodeUnequalRuns: {low, high}: the runs have from so many to so many blocks, and each counts the same.
	CodeUnequalRuns ReasonCode = "UnequalRuns"
)

// What a sweep does not show, and what limits it.
const (
	// CodeTooFewLoads: {loads, of, needed}: so many loads of the sweep have a counted trial.
	CodeTooFewLoads ReasonCode = "TooFewLoads"
	// CodeNoCommonBlock: a load has no counted trial in a block in which the lightest one has one.
	CodeNoCommonBlock ReasonCode = "NoCommonBlock"
	// CodeLoadsLeftOut: {loads, of}: so many loads have no counted trial.
	CodeLoadsLeftOut ReasonCode = "LoadsLeftOut"
	// CodeLightestLeftOut: {load}: the lightest load has no counted trial, and this one takes its place.
	CodeLightestLeftOut ReasonCode = "LightestLeftOut"
	// CodeSweepTooFewBlocks: {loads, needed, blocks}: so many loads need more blocks for an interval.
	CodeSweepTooFewBlocks ReasonCode = "SweepTooFewBlocks"
	// CodeNotSaturated: {least, high, axis}: the heaviest load has the most, so that the knee has no upper bound. Least is its lower one, or without an
	// interval the estimate of that.
	CodeNotSaturated ReasonCode = "NotSaturated"
	// CodeLightestHasMost: {low, high, axis}: the lightest load has the most, so that there is no knee within the loads.
	CodeLightestHasMost ReasonCode = "LightestHasMost"
	// CodeNoMoreThanLightest: no load was shown to give more than the lightest one.
	CodeNoMoreThanLightest ReasonCode = "NoMoreThanLightest"
	// CodeKneeBeyond: the knee may be beyond the heaviest load.
	CodeKneeBeyond ReasonCode = "KneeBeyond"
	// CodePeakBeyond: the peak may be beyond the heaviest load.
	CodePeakBeyond ReasonCode = "PeakBeyond"
	// CodeMoreThanProportion: the value grows more than in proportion to the load.
	CodeMoreThanProportion ReasonCode = "MoreThanProportion"
	// CodePeakRateOffered: at the peak a rate was offered and achieved, so that this is not the most that a server can do.
	CodePeakRateOffered ReasonCode = "PeakRateOffered"
	// CodePeakServerLimit: {trials, of}: in so many trials at the peak, which are most, the server used up its own CPU limit, which then decides where knee and peak are.
	CodePeakServerLimit ReasonCode = "PeakServerLimit"
	// CodePeakClientLimit: {trials, of}: in so many trials at the peak a client was at its own CPU limit, so that knee and peak may be those of the client.
	CodePeakClientLimit ReasonCode = "PeakClientLimit"
	// CodeLoadsClientLimit: {trials, of}: in so many trials at the other loads a client was at its own CPU limit.
	CodeLoadsClientLimit ReasonCode = "LoadsClientLimit"
)

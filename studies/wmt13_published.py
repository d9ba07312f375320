"""Figures of Macháček & Bojar 2013, "Results of the WMT13 metrics shared task" (corrected version of January 2014).

An underscore stands for a space, ``n/a`` is what the paper says of a metric that did not take part, and ``?`` a figure
that our copy of the paper does not show clearly enough to be taken over.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import nan

#: Spearman's ρ ± half of its interval in each direction and on average; then average Pearson, clusters, fuzzy ranks.
TABLE_2 = """
Directions       fr-en     de-en     es-en     cs-en     ru-en     average
Considered       12        22        11        10        17
METEOR           .984±.014 .961±.020 .979±.024 .964±.027 .789±.040 .935±.012 .950 .924 .936
DEPREF-ALIGN     .995±.011 .966±.018 .965±.031 .964±.023 .768±.041 .931±.012 .926 .909 .924
UMEANT           .989±.011 .946±.018 .958±.028 .973±.032 .775±.037 .928±.012 .909 .903 .930
MEANT            .973±.014 .926±.021 .944±.038 .973±.032 .765±.038 .916±.013 .901 .891 .918
SEMPOS           .938±.014 .919±.028 .930±.031 .955±.018 .823±.037 .913±.012 .934 .894 .901
DEPREF-EXACT     .984±.011 .961±.017 .937±.038 .936±.027 .744±.046 .912±.015 .924 .892 .901
SIMPBLEU-RECALL  .978±.014 .936±.020 .923±.052 .909±.027 .798±.043 .909±.017 .923 .874 .886
BLEU-MTEVAL-INTL .989±.014 .902±.017 .895±.049 .936±.032 .695±.042 .883±.015 .866 .843 .874
BLEU-MTEVAL      .989±.014 .895±.020 .888±.045 .936±.032 .670±.041 .876±.015 .854 .835 .865
BLEU-MOSES       .993±.014 .902±.017 .879±.051 .936±.036 .651±.041 .872±.016 .856 .826 .861
CDER-MOSES       .995±.014 .877±.017 .888±.049 .927±.036 .659±.045 .869±.017 ?    .831 .859
SIMPBLEU-PREC    .989±.008 .846±.020 .832±.059 .918±.023 .704±.042 .858±.017 .871 .815 .847
NLEPOR           .945±.022 .949±.025 .825±.056 .845±.041 .705±.043 .854±.018 .867 .804 .853
LEPOR_v3.100     .945±.019 .934±.027 .748±.077 .800±?    .779±.041 .841±.020 .869 .780 .850
NIST-MTEVAL      .951±.019 .875±.022 .769±.077 .891±.027 .649±.045 .827±.020 .852 .774 .824
NIST-MTEVAL-INTL .951±.019 .875±.022 .762±.077 .882±.032 .658±.045 .826±.021 .856 .774 .826
TER-MOSES        .951±.019 .833±.023 .825±.077 .800±.036 .581±.045 .798±.021 .803 .733 .797
WER-MOSES        .951±.019 .672±.026 .797±.070 .755±.041 .591±.042 .753±.020 .785 .682 .749
PER-MOSES        .852±.027 .858±.025 .357±.091 .697±.043 .677±.040 .688±.024 .757 .637 .706
TERRORCAT        .984±.011 .961±.023 .972±.028 n/a       n/a       .972±.012 .977 .958 .956
"""

TABLE_3 = """
Directions       en-fr     en-de      en-es     en-cs     en-ru     average
Considered       14        14         12        11        12
SIMPBLEU-RECALL  .924±.022 .925±.020  .830±.047 .867±.031 .710±.053 .851±.018 .844 .856 .849
LEPOR_v3.100     .904±.034 .900±.027  .841±.049 .748±.056 .855±.048 .850±.020 .854 .833 .844
NIST-MTEVAL-INTL .929±.032 .846±.029  .797±?    .902±.045 .771±.048 .849±.020 .808 .863 .845
CDER-MOSES       .921±.029 .867±.029  .857±.058 .888±.024 .701±.059 .847±.019 .796 .861 .843
NLEPOR           .919±.028 .904±.027  .852±.049 .818±.045 .727±.064 .844±.021 .849 .846 .840
NIST-MTEVAL      .914±.034 .825±.030  .780±.066 .916±.031 .723±.048 .832±.021 .794 .851 .828
SIMPBLEU-PREC    .909±.026 .879±.025  .780±.071 .881±.035 .697±.051 .829±.020 .840 .852 .827
METEOR           .924±.027 .879±.030  .780±.060 .937±.024 .569±.066 .818±.022 .806 .825 .814
BLEU-MTEVAL-INTL .917±.033 .832±.030  .764±.071 .895±.028 .657±.062 .813±.022 .802 .821 .808
BLEU-MTEVAL      .895±.037 .786±.034  .764±.071 .895±.028 .631±.053 .794±.022 .799 .809 .790
TER-MOSES        .912±.038 .854±.032  .753±.066 .860±.059 .538±.068 .783±.023 .746 .806 .778
BLEU-MOSES       .897±.034 .786±.034  .759±.078 .895±.028 .574±.057 .782±.022 .802 .792 .779
WER-MOSES        .914±.034 .825±.034  .714±.077 .860±.056 .552±.066 .773±.024 .737 .796 .766
PER-MOSES        .873±.040 .686±.045  .775±.047 .797±.049 .591±.062 .744±.024 .758 .747 .739
TERRORCAT        .929±.022 .946±.018  .912±.041 n/a       n/a       .929±.017 .952 .933 .923
SEMPOS           n/a       n/a        n/a       .699±.045 n/a       .699±.045 .717 .615 .696
ACTA5+6          .809±.046 -.526±.034 n/a       n/a       n/a       .141±.029 .166 .196 .176
ACTA             .809±.046 -.526±.034 n/a       n/a       n/a       .141±.029 .166 .196 .176
"""

#: Kendall's τ of segments in each direction and on average.
TABLE_4 = """
Directions      fr-en de-en  es-en cs-en ru-en  average
Extracted 80741 128668 67832 85469 151422
SIMPBLEU-RECALL .303  .318   .388  .260  .234   .301
METEOR          .264  .293   .324  .265  .239   .277
DEPREF-ALIGN    .257  .267   .312  .228  .200   .253
DEPREF-EXACT    .258  .263   .307  .227  .195   .250
SIMPBLEU-PREC   .238  .236   .287  .208  .174   .229
NLEPOR          .225  .240   .281  .176  .172   .219
SENTBLEU-MOSES  .229  .218   .266  .197  .170   .216
LEPOR_v3.100    .235  .221   .236  .187  .177   .211
UMEANT          .161  .166   .202  .160  .108   .160
MEANT           .158  .160   .202  .164  .109   .159
TERRORCAT       .249  .298   .313  n/a   n/a    .287
LOGREGFSS-33    n/a   .272   n/a   n/a   n/a    .272
LOGREGFSS-24    n/a   .270   n/a   n/a   n/a    .270
"""

TABLE_5 = """
Directions         en-fr  en-de en-es en-cs  en-ru average
Extracted    100783 77286 60464 102842 87323
SIMPBLEU-RECALL    .261   .254  .231  .192   .245  .236
METEOR             .236   .203  .175  .160   .203  .195
SIMPBLEU-PREC      .219   .197  .187  .148   .175  .185
NLEPOR             .200   .199  .163  .139   .188  .178
SENTBLEU-MOSES     .214   .177  .171  .139   .173  .175
LEPOR_v3.100       .206   .179  .178  .084   .205  .170
TERRORCAT          .207   .238  .186  n/a    n/a   .210
LOGREGNORM-411     n/a    n/a   .135  n/a    n/a   .135
LOGREGNORMSOFT-431 n/a    n/a   .033  n/a    n/a   .033
"""


@dataclass(frozen=True)
class Published:
    """A table of the paper.

    Attributes:
        number: the table's number.
        directions: in the paper's order.
        rows: cells by metric, in the paper's order; a cell is (value, half of its interval), NaN if there is none.
            The cells after those of the directions are averages.
        considered: number of systems by direction, or of pairs at segment level.
    """

    number: int
    directions: tuple[str, ...]
    rows: dict[str, tuple[tuple[float, float], ...]]
    considered: dict[str, int]

    def cell(self, metric: str, direction: str) -> tuple[float, float]:
        """Value and half interval of a metric in a direction."""
        return self.rows[metric][self.directions.index(direction)]

    def averages(self, metric: str) -> tuple[tuple[float, float], ...]:
        """The averages of a metric."""
        return self.rows[metric][len(self.directions) :]


def _read(number: int, table: str) -> Published:
    first, second, *lines = [line.split() for line in table.strip().splitlines()]
    directions = tuple(first[1:-1])
    rows = {name.replace("_", " "): tuple(map(_cell, cells)) for name, *cells in lines}
    return Published(number, directions, rows, dict(zip(directions, map(int, second[1:]), strict=True)))


def _cell(text: str) -> tuple[float, float]:
    value, _, half = text.partition("±")
    return _number(value), _number(half)


def _number(text: str) -> float:
    return nan if text in ("", "?", "n/a") else float(text)


SYSTEM_LEVEL = (_read(2, TABLE_2), _read(3, TABLE_3))
SEGMENT_LEVEL = (_read(4, TABLE_4), _read(5, TABLE_5))

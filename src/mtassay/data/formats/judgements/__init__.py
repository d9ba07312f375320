"""Files of human judgements: one reader per family of formats, and `load_judgements`, which recognises them.

==========  =========================================================================================
format      what it is
==========  =========================================================================================
rankings    WMT10–WMT14 (and WMT16) CSV or TSV: ``srclang … system1Id … system1rank …``, one screen per line
items       WMT15 as ``rankingID segment judge items``; ``a+b=2`` if outputs were the same
tasks       WMT07–WMT09: ``TASK TYPE ITEM_ID …``, rankings, constituents, acceptability, adequacy, fluency
pairs       ``segment better worse``, without a header
acceptance  WMT10 ACC: ``srclang … systemId … judgment`` (YES, NO)
da          direct assessment, ``SYS SID RAW.SCR Z.SCR N`` or ``LP SYSTEM SID HUMAN``
mqm         ``system mqm_avg_score seg_id``
hits        direct assessment by the crowd (WMT22): ``HITId WorkerId src trg … type sid score``, with control items
appraise    export of Appraise: ``username,system,itemId,itemType,srcLang,trgLang,score …``, with control items
spans       JSONL with a list of error spans per output (MQM, ESA)
ratings     ``*.seg.rating`` of mt-metrics-eval: ``system TAB {"errors": [...]}``
scores      ``system TAB score`` of mt-metrics-eval, and the other formats of `read_scores`
tsv, jsonl  the formats of `write_judgements`
==========  =========================================================================================
"""

from __future__ import annotations

from mtassay.data.formats.judgements.reading import FORMATS, TASKS, load_judgements
from mtassay.data.formats.judgements.writing import write_judgements

__all__ = ["FORMATS", "TASKS", "load_judgements", "write_judgements"]

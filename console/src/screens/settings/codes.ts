import type { CodeType } from '../../ui/values';

/** ISO 3166-1, two letters each. */
const COUNTRIES =
  'ADAEAFAGAIALAMAOAQARASATAUAWAXAZBABBBDBEBFBGBHBIBJBLBMBNBOBQBRBSBTBVBWBYBZCACCCDCFCGCHCICKCLCMCNCOCRCUCVCWCXCYCZDEDJDKDMDODZECEEEGEHERESETFIFJ' +
  'FKFMFOFRGAGBGDGEGFGGGHGIGLGMGNGPGQGRGSGTGUGWGYHKHMHNHRHTHUIDIEILIMINIOIQIRISITJEJMJOJPKEKGKHKIKMKNKPKRKWKYKZLALBLCLILKLRLSLTLULVLYMAMCMDMEMFMG' +
  'MHMKMLMMMNMOMPMQMRMSMTMUMVMWMXMYMZNANCNENFNGNINLNONPNRNUNZOMPAPEPFPGPHPKPLPMPNPRPSPTPWPYQARERORSRURWSASBSCSDSESGSHSISJSKSLSMSNSOSRSSSTSVSXSYSZ' +
  'TCTDTFTGTHTJTKTLTMTNTOTRTTTVTWTZUAUGUMUSUYUZVAVCVEVGVIVNVUWFWSYEYTZAZMZW';

const LANGUAGES =
  'ar bg bn bs ca cs cy da de de-AT de-CH de-DE el en en-AU en-CA en-GB en-IE en-US es es-ES es-MX et eu fa fi fr fr-BE fr-CA fr-CH fr-FR ga gl he hi hr hu id is it it-CH it-IT ja ka kk ko lb lt lv mk ms mt nb nl nl-BE nl-NL nn no pl pt pt-BR pt-PT ro ru sk sl sq sr sv ta th tr uk ur vi zh zh-Hans zh-Hant';

/** All codes that are offered. Languages can be any: those of few speakers are typed. */
export const CODES: Record<CodeType, readonly string[]> = {
  country: COUNTRIES.match(/../g) ?? [],
  currency: Intl.supportedValuesOf('currency'),
  language: LANGUAGES.split(' '),
};

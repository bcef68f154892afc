"""Well-known places: the only list of them. Pure."""

_CITIES = """
Amsterdam|Athens|Atlanta|Auckland|Bangalore|Bangkok|Barcelona|Basel|Beijing|Belgrade|Berlin|Bern
Birmingham|Bogotá|Bologna|Bordeaux|Boston|Bratislava|Bremen|Brisbane|Bristol|Brussels|Bucharest
Budapest|Buenos Aires|Cairo|Calgary|Cape Town|Cardiff|Chennai|Chicago|Cologne|Copenhagen|Dallas
Delhi|Denver|Dhaka|Doha|Dortmund|Dresden|Dubai|Dublin|Düsseldorf|Edinburgh|Florence|Frankfurt
Gdansk|Geneva|Genoa|Ghent|Glasgow|Gothenburg|Graz|Hamburg|Hanoi|Hanover|Helsinki|Hong Kong|Houston
Hyderabad|Istanbul|Jakarta|Jerusalem|Johannesburg|Karachi|Kiev|Kolkata|Krakow|Kuala Lumpur|Kyiv
Kyoto|Lagos|Lausanne|Leeds|Leipzig|Lima|Lisbon|Liverpool|Ljubljana|London|Los Angeles|Luxembourg
Lyon|Madrid|Malmö|Manchester|Manila|Marseille|Melbourne|Mexico City|Miami|Milan|Minsk|Montreal
Moscow|Mumbai|Munich|Nairobi|Naples|New York|Nice|Nuremberg|Osaka|Oslo|Ottawa|Oxford|Palermo|Paris
Perth|Philadelphia|Porto|Prague|Pune|Rabat|Reykjavik|Riga|Rio de Janeiro|Rome|Rotterdam|Salzburg
San Francisco|Santiago|São Paulo|Sarajevo|Seattle|Seoul|Seville|Shanghai|Shenzhen|Singapore|Sofia
Stockholm|Stuttgart|Sydney|Taipei|Tallinn|Tashkent|Tehran|Tel Aviv|The Hague|Tokyo|Toronto|Toulouse
Trieste|Tunis|Turin|Utrecht|Valencia|Vancouver|Venice|Vienna|Vilnius|Warsaw|Washington|Wellington
Zagreb|Zürich|Zurich|Berne|Bonn|Cambridge|Detroit|Essen|Heidelberg|Mannheim|München|New Delhi
Phoenix|Portland|San Diego|Washington DC
"""
_COUNTRIES = """
Algeria|Argentina|Australia|Austria|Bangladesh|Belarus|Belgium|Bolivia|Brazil|Bulgaria|Canada|Chile
China|Colombia|Croatia|Cuba|Cyprus|Czechia|Denmark|Ecuador|Egypt|England|Estonia|Ethiopia|Finland
France|Germany|Ghana|Greece|Hungary|Iceland|India|Indonesia|Iran|Iraq|Ireland|Israel|Italy|Japan
Kazakhstan|Kenya|Kuwait|Latvia|Lebanon|Lithuania|Malaysia|Malta|Mexico|Moldova|Montenegro|Morocco
Nepal|Netherlands|New Zealand|Nigeria|Norway|Pakistan|Panama|Peru|Philippines|Poland|Portugal|Qatar
Romania|Russia|Saudi Arabia|Scotland|Senegal|Serbia|Slovakia|Slovenia|South Africa|South Korea
Spain|Sri Lanka|Sweden|Switzerland|Taiwan|Tanzania|Thailand|Tunisia|Turkey|Uganda|Ukraine
United Kingdom|United States|Uruguay|Venezuela|Vietnam|Wales|Europe|Asia|Africa|Bavaria|Texas
California|Florida
"""
PLACES = frozenset(
    name.casefold()
    for names in (_CITIES, _COUNTRIES)
    for name in names.strip().replace("\n", "|").split("|")
)
